# cmake --install: the program, its man pages and completions, the libraries with their headers,
# the schemas, a CMake package and pkg-config files.
include(CMakePackageConfigHelpers)

option(CONVENE_STRIP "Strip the program and shared libraries on installation" ON)

# Builds what is installed, without tests and benchmarks.
add_custom_target(installable DEPENDS ${CONVENE_LIBRARIES})

# What is installed between these two calls is stripped, as with --strip.
function(convene_strip_from_here)
  if(CONVENE_STRIP)
    install(CODE [[set(convene_stripped_before "${CMAKE_INSTALL_DO_STRIP}")
  set(CMAKE_INSTALL_DO_STRIP ON)]] ALL_COMPONENTS)
  endif()
endfunction()
function(convene_strip_to_here)
  if(CONVENE_STRIP)
    install(CODE [[set(CMAKE_INSTALL_DO_STRIP "${convene_stripped_before}")]]
            ALL_COMPONENTS)
  endif()
endfunction()

convene_strip_from_here()
# CMake does not strip static libraries, which need their symbols.
install(TARGETS ${CONVENE_LIBRARIES} EXPORT convene-targets
        ARCHIVE COMPONENT dev
        LIBRARY COMPONENT library NAMELINK_COMPONENT dev)
if(TARGET convene)
  install(TARGETS convene COMPONENT program)
  add_dependencies(installable convene)
endif()
convene_strip_to_here()

# The public headers, with all that they include.
set(list "${PROJECT_SOURCE_DIR}/cmake/public_headers.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${list}")
file(STRINGS "${list}" headers REGEX "^[^#]")
if(NOT TARGET convene_server_library)
  list(FILTER headers EXCLUDE REGEX "^server/")
endif()
if(NOT TARGET convene_lab)
  list(FILTER headers EXCLUDE REGEX "^lab/")
endif()
set(found ${headers})
while(headers)
  list(POP_FRONT headers header)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES "${PROJECT_SOURCE_DIR}/${header}"
          DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/convene/${folder}"
          COMPONENT dev)
  file(STRINGS "${PROJECT_SOURCE_DIR}/${header}" lines
       REGEX "^#[ ]*include <convene/")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^.*<convene/([^>]*)>.*$" "\\1" other "${line}")
    if(NOT other IN_LIST found)
      list(APPEND headers "${other}")
      list(APPEND found "${other}")
    endif()
  endforeach()
endwhile()
install(FILES "${PROJECT_SOURCE_DIR}/bindings/c/convene.h" TYPE INCLUDE
        COMPONENT dev)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/schemas"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/convene" COMPONENT program
        FILES_MATCHING PATTERN "*.json")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" TYPE DOC COMPONENT doc)

# The shells' completions and the man pages are what the program says of itself.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(TARGET convene AND NOT CMAKE_CROSSCOMPILING)
  set(made "${PROJECT_BINARY_DIR}/completions")
  set(scripts)
  foreach(shell IN ITEMS bash zsh fish)
    add_custom_command(
      OUTPUT "${made}/${shell}"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${made}"
      COMMAND convene completions ${shell} > "${made}/${shell}"
      DEPENDS convene
      COMMENT "Writing the completions for ${shell}"
      VERBATIM)
    list(APPEND scripts "${made}/${shell}")
  endforeach()
  add_custom_target(convene_completions ALL DEPENDS ${scripts})
  add_dependencies(installable convene_completions)
  set(share "${CMAKE_INSTALL_DATADIR}")
  install(FILES "${made}/bash" RENAME convene
          DESTINATION "${share}/bash-completion/completions"
          COMPONENT program)
  install(FILES "${made}/zsh" RENAME _convene
          DESTINATION "${share}/zsh/vendor-completions" COMPONENT program)
  install(FILES "${made}/fish" RENAME convene.fish
          DESTINATION "${share}/fish/vendor_completions.d" COMPONENT program)
endif()
if(TARGET convene AND Python3_FOUND AND NOT CMAKE_CROSSCOMPILING)
  set(pages "${PROJECT_BINARY_DIR}/man")
  add_custom_command(
    OUTPUT "${pages}/convene.1"
    COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/cmake/man.py"
            $<TARGET_FILE:convene> "${pages}"
    DEPENDS convene "${PROJECT_SOURCE_DIR}/cmake/man.py"
    COMMENT "Writing the man pages"
    VERBATIM)
  add_custom_target(convene_man ALL DEPENDS "${pages}/convene.1")
  add_dependencies(installable convene_man)
  install(DIRECTORY "${pages}/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1"
          COMPONENT program)
elseif(TARGET convene)
  message(STATUS "No man pages: they need python3 and a program that runs here")
endif()

# The CMake package.
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/convene")
install(EXPORT convene-targets NAMESPACE convene:: DESTINATION "${package}"
        COMPONENT dev)
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/package/convene-config.cmake.in"
  "${PROJECT_BINARY_DIR}/package/convene-config.cmake"
  INSTALL_DESTINATION "${package}"
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/package/convene-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/package/convene-config.cmake"
              "${PROJECT_BINARY_DIR}/package/convene-config-version.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindCAF.cmake"
        DESTINATION "${package}" COMPONENT dev)

# The pkg-config files, which compute the prefix from their own place.
set(PC_FOLDER "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
if(IS_ABSOLUTE "${PC_FOLDER}")
  set(PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY
             "${CMAKE_INSTALL_PREFIX}/${PC_FOLDER}" OUTPUT_VARIABLE up)
  set(PC_PREFIX "\${pcfiledir}/${up}")
endif()
foreach(folder IN ITEMS LIBDIR INCLUDEDIR)
  cmake_path(APPEND PC_${folder} "\${prefix}" "${CMAKE_INSTALL_${folder}}")
endforeach()
# A dependency's package for pkg-config, or its linker flag if it has none.
set(PC_OF_simdjson::simdjson simdjson)
set(PC_OF_PkgConfig::RE2 re2)
set(PC_OF_PkgConfig::SECCOMP libseccomp)
set(PC_OF_spdlog::spdlog spdlog)
set(PC_OF_fmt::fmt fmt)
set(PC_OF_OpenSSL::Crypto libcrypto)
set(PC_OF_CAF::core -lcaf_core)
set(PC_OF_Threads::Threads -pthread)
set(PC_OF_OpenSSL::SSL openssl)
set(PC_OF_PkgConfig::PROMETHEUS prometheus-cpp-core)
set(PC_OF_Boost::headers -pthread)
foreach(target IN LISTS CONVENE_LIBRARIES)
  get_target_property(PC_NAME ${target} CONVENE_PACKAGE)
  get_target_property(PC_LIBRARY ${target} OUTPUT_NAME)
  get_target_property(PC_ABOUT ${target} CONVENE_ABOUT)
  get_target_property(below ${target} CONVENE_BELOW)
  set(PC_REQUIRES)
  if(below)
    get_target_property(PC_REQUIRES ${below} CONVENE_PACKAGE)
  endif()
  set(PC_IN_HEADERS " -lboost_json")
  if(target STREQUAL "convene_c")
    set(PC_IN_HEADERS "")
  endif()
  get_target_property(outside ${target} CONVENE_OUTSIDE)
  set(PC_REQUIRES_PRIVATE)
  set(PC_LIBS_PRIVATE)
  if(NOT BUILD_SHARED_LIBS)
    foreach(other IN LISTS outside)
      if(NOT DEFINED PC_OF_${other})
        message(FATAL_ERROR "No pkg-config name is known for ${other}")
      elseif(PC_OF_${other} MATCHES "^-")
        string(APPEND PC_LIBS_PRIVATE " ${PC_OF_${other}}")
      else()
        string(APPEND PC_REQUIRES_PRIVATE " ${PC_OF_${other}}")
      endif()
    endforeach()
  endif()
  configure_file("${PROJECT_SOURCE_DIR}/cmake/package/library.pc.in"
                 "${PROJECT_BINARY_DIR}/package/${PC_NAME}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/package/${PC_NAME}.pc"
          DESTINATION "${PC_FOLDER}" COMPONENT dev)
endforeach()
