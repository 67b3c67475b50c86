# Debian packages, by `cpack` in the build folder: the program, the library of
# the C API, what building against the libraries needs, and the documentation.
# scripts/deb makes them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME convene)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_HOMEPAGE_URL "")
set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
    WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL program library dev doc)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}")
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/package/debian.cmake")

# Sets `result` to the package that has the library of a target or the file.
function(convene_package_of result library)
  if(TARGET ${library})
    get_target_property(library ${library} LOCATION)
  endif()
  file(REAL_PATH "${library}" library)
  # Dpkg may know it by the path before /lib was moved to /usr/lib.
  string(REGEX REPLACE "^/usr" "" moved "${library}")
  execute_process(COMMAND dpkg-query -S "${library}" "${moved}"
                  OUTPUT_VARIABLE found ERROR_QUIET)
  string(REGEX MATCH "^[^:\n]+" package "${found}")
  if(NOT package)
    message(FATAL_ERROR "No Debian package has ${library}")
  endif()
  set(${result} "${package}" PARENT_SCOPE)
endfunction()

# These are loaded when they are first needed, which no link shows.
convene_package_of(curl CURL::libcurl)
convene_package_of(sqlite SQLite::SQLite3)
convene_package_of(yaml "${LIBYAML_LINK_LIBRARIES}")
convene_package_of(postgres "${LIBPQ_LINK_LIBRARIES}") # few need it
convene_package_of(git "${LIBGIT2_LINK_LIBRARIES}")
convene_package_of(nats "${LIBNATS_LINK_LIBRARIES}") # fewer still
set(same "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(library_package libconvene0) # of the soname

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME convene)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "${curl}, ${sqlite}, ${yaml}, ${git}")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "bubblewrap, ca-certificates")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "convene-doc, ${postgres}, ${nats}")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
    "collaboration sessions between agents, people and systems
Runs sessions in which several agents work on one task, with turn tokens that
keep them from overwriting each other's work, and with a log from which a run
resumes after a crash and replays without asking a model again.
.
This package has the program: it runs, checks, simulates and serves sessions.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "${curl}, ${sqlite}, ${yaml}")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA
    "${PROJECT_SOURCE_DIR}/cmake/package/debian/triggers"
    "${PROJECT_SOURCE_DIR}/cmake/package/debian/shlibs")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
    "sessions in which several agents work on one task (C library)
An application starts sessions and answers for some of the participants
itself. This package has the shared library with the C API.")

string(JOIN ", " needs "${library_package} ${same}" "libboost-json${Boost_MAJOR_VERSION}.${Boost_MINOR_VERSION}-dev"
       libcaf-dev libexpected-dev libfmt-dev libre2-dev libseccomp-dev
       libsimdjson-dev libspdlog-dev libssl-dev prometheus-cpp-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libconvene-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${needs}, ${curl}, ${sqlite}, ${yaml}")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "convene-doc, ${postgres}")
set(CPACK_DEBIAN_DEV_DESCRIPTION
    "sessions in which several agents work on one task (development)
This package has the headers and libraries for C++ and for C, for CMake and
pkg-config.")

set(CPACK_DEBIAN_DOC_PACKAGE_NAME convene-doc)
set(CPACK_DEBIAN_DOC_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOC_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOC_DESCRIPTION
    "sessions in which several agents work on one task (documentation)
This package has the guides, the reference and the examples of convene.")

install(FILES README.md CHANGELOG.md DESTINATION share/doc/convene COMPONENT doc)
install(DIRECTORY docs examples DESTINATION share/doc/convene COMPONENT doc
  PATTERN docs/site EXCLUDE)
include(CPack)
