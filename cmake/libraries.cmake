# The libraries for applications, static or shared (BUILD_SHARED_LIBS). They are
# made of the rooms' objects, which are the same for both.
#
#   convene::json_schema   the validator and what it stands on
#   convene::protocol      the rest of the protocol
#   convene::convene       sessions and the runtime; <convene/convene.hpp>
#   convene::server        the server; <convene/server/server.hpp>; static only:
#                          the others export nothing of what it is made of
#   convene::lab           simulations and studies; static only, likewise
#   convene::c             the C API, always shared; <convene.h>

# Dependencies of their headers; the others are only needed to link.
set(CONVENE_IN_HEADERS Boost::json tl::expected)
# Only compiled with: loaded by those who need them.
set(CONVENE_ONLY_HEADERS CURL::headers SQLite::headers LIBYAML::headers LIBPQ::headers)

# The given rooms and all that they use, directly or not.
function(convene_rooms_below result)
  set(found ${ARGN})
  set(left ${ARGN})
  while(left)
    list(POP_FRONT left room)
    get_property(uses GLOBAL PROPERTY CONVENE_USES_${room})
    foreach(other IN LISTS uses)
      if(NOT other MATCHES "::" AND NOT other IN_LIST found)
        list(APPEND found ${other})
        list(APPEND left ${other})
      endif()
    endforeach()
  endwhile()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# The objects of these rooms, and the libraries outside that they need.
function(convene_objects objects outside)
  set(made)
  set(needed)
  foreach(room IN LISTS ARGN)
    convene_targets(of_room ${room})
    get_target_property(type ${of_room} TYPE)
    if(type STREQUAL STATIC_LIBRARY)
      list(APPEND made $<TARGET_OBJECTS:${of_room}>)
    endif()
    get_property(uses GLOBAL PROPERTY CONVENE_USES_${room})
    list(FILTER uses INCLUDE REGEX "::")
    list(APPEND needed ${uses})
  endforeach()
  list(REMOVE_DUPLICATES needed)
  set(${objects} ${made} PARENT_SCOPE)
  set(${outside} ${needed} PARENT_SCOPE)
endfunction()

# convene_library(<name> OUTPUT_NAME <file name> ABOUT <words> ROOMS <room>...
#                 [PACKAGE <name for pkg-config>] [USES <library>...])
# appends to CONVENE_LIBRARIES.
function(convene_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT_NAME;ABOUT;PACKAGE" "ROOMS;USES")
  if(NOT arg_PACKAGE)
    set(arg_PACKAGE ${arg_OUTPUT_NAME})
  endif()
  set(target convene_${name})
  if(TARGET ${target}) # a layer that is a room, too
    set(target convene_${name}_library)
  endif()
  convene_objects(objects outside ${arg_ROOMS})
  list(REMOVE_ITEM outside ${CONVENE_IN_HEADERS} ${CONVENE_ONLY_HEADERS})

  add_library(${target} ${objects})
  add_library(convene::${name} ALIAS ${target})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(
    ${target} PUBLIC $<BUILD_INTERFACE:${CONVENE_INCLUDE_ROOT}>
                     $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PUBLIC ${arg_USES} ${CONVENE_IN_HEADERS}
                                  PRIVATE ${outside})
  # Before 1.0 only patch versions keep the binary interface.
  set_target_properties(
    ${target}
    PROPERTIES LINKER_LANGUAGE CXX
               EXPORT_NAME ${name}
               OUTPUT_NAME ${arg_OUTPUT_NAME}
               VERSION ${PROJECT_VERSION}
               SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
               INSTALL_RPATH "$ORIGIN"
               CONVENE_PACKAGE ${arg_PACKAGE}
               CONVENE_ABOUT "${arg_ABOUT}"
               CONVENE_BELOW "${arg_USES}"
               CONVENE_OUTSIDE "${outside}")
  if(BUILD_SHARED_LIBS)
    set(exports "${PROJECT_SOURCE_DIR}/cmake/exports.map")
    target_link_options(${target} PRIVATE "LINKER:--version-script=${exports}")
    set_target_properties(${target} PROPERTIES LINK_DEPENDS "${exports}")
  endif()
  set(CONVENE_LIBRARIES ${CONVENE_LIBRARIES} ${target} PARENT_SCOPE)
endfunction()

get_property(protocol_rooms GLOBAL PROPERTY CONVENE_ROOMS)
set(session_rooms ${protocol_rooms})
list(FILTER protocol_rooms INCLUDE REGEX "^(schemas|protocol)(/|$)")
list(FILTER session_rooms INCLUDE REGEX "^(session|modes|actors|runtime)(/|$)")
convene_rooms_below(json_schema_rooms protocol/json_schema)
list(REMOVE_ITEM protocol_rooms ${json_schema_rooms})

convene_library(
  json_schema
  OUTPUT_NAME convene_json_schema
  ABOUT "JSON Schema, draft-07, for text, trees and typed values"
  ROOMS ${json_schema_rooms})
convene_library(
  protocol
  OUTPUT_NAME convene_protocol
  ABOUT "Documents, events and rules of the Multi-Agent Lifecycle Protocol"
  ROOMS ${protocol_rooms}
  USES convene_json_schema)
# The file libconvene.so is the C API's.
convene_library(
  convene
  OUTPUT_NAME convene_cpp
  PACKAGE convene
  ABOUT "Sessions in which several agents work on one thing"
  ROOMS ${session_rooms}
  USES convene_protocol)

# Makes a target of the C API with all that it stands on, in one file that shows
# nothing else.
function(convene_c_library target)
  convene_rooms_below(rooms bindings/c)
  convene_objects(objects outside ${rooms})
  set(exports "${PROJECT_SOURCE_DIR}/bindings/c/exports.map")
  add_library(${target} SHARED ${objects})
  list(REMOVE_ITEM outside ${CONVENE_ONLY_HEADERS} ${ARGN})
  target_link_libraries(${target} PRIVATE ${outside})
  target_link_options(${target} PRIVATE "LINKER:--version-script=${exports}")
  set_target_properties(
    ${target}
    PROPERTIES LINKER_LANGUAGE CXX
               OUTPUT_NAME convene
               VERSION ${PROJECT_VERSION}
               SOVERSION 0 # CONVENE_ABI_VERSION
               LINK_DEPENDS "${exports}")
endfunction()

convene_c_library(convene_c)
add_library(convene::c ALIAS convene_c)
target_include_directories(
  convene_c INTERFACE $<BUILD_INTERFACE:${CONVENE_INCLUDE_ROOT}/convene/bindings/c>
                      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(
  convene_c
  PROPERTIES EXPORT_NAME c
             CONVENE_PACKAGE convene_c
             CONVENE_ABOUT "Sessions in which several agents work on one thing, for C"
             CONVENE_OUTSIDE "")
list(APPEND CONVENE_LIBRARIES convene_c)

# The same for packages of other languages, which bring along the libraries that
# it needs: it looks for them beside itself, and so do they, as DT_RPATH says and
# DT_RUNPATH would not. libcrypto is inside: a process has one file of that name,
# which may be the interpreter's, of another version.
find_library(CONVENE_STATIC_CRYPTO libcrypto.a)
mark_as_advanced(CONVENE_STATIC_CRYPTO)
if(CONVENE_STATIC_CRYPTO)
  convene_c_library(convene_c_bundled OpenSSL::Crypto)
  target_link_libraries(convene_c_bundled PRIVATE "${CONVENE_STATIC_CRYPTO}"
                                                  ${CMAKE_DL_LIBS})
  target_link_options(convene_c_bundled PRIVATE "LINKER:--disable-new-dtags"
                      "LINKER:--gc-sections")
  set_target_properties(
    convene_c_bundled
    PROPERTIES EXCLUDE_FROM_ALL ON
               BUILD_RPATH "$ORIGIN"
               LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bundled")
endif()

# A static library of these rooms and what they use, on top of the runtime.
function(convene_library_above name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT_NAME;ABOUT" "ROOMS")
  if(BUILD_SHARED_LIBS)
    return()
  endif()
  convene_rooms_below(rooms ${arg_ROOMS})
  list(REMOVE_ITEM rooms ${json_schema_rooms} ${protocol_rooms}
       ${session_rooms})
  convene_library(
    ${name}
    OUTPUT_NAME ${arg_OUTPUT_NAME}
    ABOUT "${arg_ABOUT}"
    ROOMS ${rooms}
    USES convene_convene)
  set(CONVENE_LIBRARIES ${CONVENE_LIBRARIES} PARENT_SCOPE)
endfunction()

convene_library_above(
  lab
  OUTPUT_NAME convene_lab
  ABOUT "Scenarios under many seeds, variants compared, tests of own stores"
  ROOMS lab/study lab/conformance)

# Called where the server's rooms are known.
function(convene_server_library)
  convene_library_above(
    server
    OUTPUT_NAME convene_server
    ABOUT "Sessions and workflow runs over HTTP, from inside an application"
    ROOMS server)
  set(CONVENE_LIBRARIES ${CONVENE_LIBRARIES} PARENT_SCOPE)
endfunction()
