# Rooms: one folder is one room is one static library.

# Warnings and language level, in one place, for our own code only.
add_library(convene_flags INTERFACE)
target_compile_features(convene_flags INTERFACE cxx_std_20)
# A precompiled header serves only those who compile with the same flags and
# definitions as its own target, so all of them get what some need; one that
# does not serve is an error, not a slow build.
target_compile_options(convene_flags INTERFACE -pthread)
# A parent project's setting for warnings does not apply to our sources.
if(PROJECT_IS_TOP_LEVEL)
  target_compile_options(
    convene_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Werror=invalid-pch>)
else()
  set(CMAKE_COMPILE_WARNING_AS_ERROR OFF)
endif()
target_compile_definitions(
  convene_flags
  INTERFACE $<TARGET_PROPERTY:Boost::json,INTERFACE_COMPILE_DEFINITIONS>
            $<TARGET_PROPERTY:Boost::container,INTERFACE_COMPILE_DEFINITIONS>)
target_compile_options(
  convene_flags
  INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wold-style-cast
            -Wnon-virtual-dtor -Woverloaded-virtual
            # In one unit, a local name may well be a neighbouring file's, too;
            # clang does not tell these apart.
            $<$<CXX_COMPILER_ID:GNU>:-Wshadow$<$<BOOL:${CONVENE_UNITY}>:=local>>
            -Wno-missing-field-initializers -Wno-maybe-uninitialized)

# Headers are included as <convene/layer/file.hpp>, in the tree as after
# installation: the include root holds one link, which points at the source.
set(CONVENE_INCLUDE_ROOT "${PROJECT_BINARY_DIR}/include")
file(MAKE_DIRECTORY "${CONVENE_INCLUDE_ROOT}")
file(CREATE_LINK "${PROJECT_SOURCE_DIR}" "${CONVENE_INCLUDE_ROOT}/convene"
     SYMBOLIC)
# Failed assertions name files relative to the tree; no path of the build gets
# into what is installed.
target_compile_options(
  convene_flags INTERFACE "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/="
                          "-fmacro-prefix-map=${CONVENE_INCLUDE_ROOT}/convene/=")

# What nearly every source of ours reads, precompiled: the standard library and
# Boost.JSON. Once for each set of flags, since it serves no other.
function(convene_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;USES;OPTIONS;DEFINITIONS")
  add_library(${name} STATIC "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/pch/empty.cpp")
  target_precompile_headers(
    ${name} PRIVATE "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/pch/common.hpp"
    ${arg_HEADERS})
  target_compile_options(${name} PRIVATE ${arg_OPTIONS} ${CONVENE_ROOM_OPTIONS})
  target_compile_definitions(${name} PRIVATE ${arg_DEFINITIONS})
  target_link_libraries(${name} PRIVATE convene_flags Boost::json tl::expected
                                        ${arg_USES})
  # Hidden rooms use it too; the types of other libraries are never hidden.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON
                                           CXX_VISIBILITY_PRESET default)
endfunction()

# A room without CAF has the standard library check itself in debug builds;
# CAF 0.17's headers trip its checks.
set(CONVENE_CHECKED $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
# A cold room is optimised less, which compiles in three quarters of the time;
# a debug build does not optimise at all.
set(CONVENE_COLD)
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(CONVENE_COLD -O1)
endif()
# Rooms that run for every turn, those with CAF apart: optimised in the sanitizer
# builds, whose tests would take twice as long, while nothing else is.
set(CONVENE_HOT "" CACHE STRING "Options to compile rooms with that run for every turn")
# What a build adds for all rooms, but not for tests.
set(CONVENE_ROOM_OPTIONS "" CACHE STRING "Options to compile all rooms with")
set(CONVENE_COLD_PCH convene_pch)
if(NOT "${CONVENE_COLD}" STREQUAL "${CONVENE_HOT}")
  set(CONVENE_COLD_PCH convene_pch_cold)
endif()
if(CONVENE_UNITY)
  convene_precompile(convene_pch DEFINITIONS ${CONVENE_CHECKED}
                     OPTIONS ${CONVENE_HOT})
  if(CONVENE_COLD_PCH STREQUAL "convene_pch_cold")
    convene_precompile(convene_pch_cold DEFINITIONS ${CONVENE_CHECKED}
                       OPTIONS ${CONVENE_COLD})
  endif()
  convene_precompile(
    convene_pch_caf USES CAF::core
    HEADERS <caf/actor_system.hpp> <caf/actor_system_config.hpp>
            <caf/event_based_actor.hpp> <caf/send.hpp> <caf/typed_actor.hpp>
            <caf/typed_event_based_actor.hpp>)
endif()

# A build that compiles everything reads headers less often with larger units; one
# that follows edits does better with small ones.
set(CONVENE_UNIT_FACTOR 1 CACHE STRING "How many times as many sources a unit has")
# convene_units(<target> <n>): compiles a target's sources n at a time, or as many
# times more as the build says. Sources that must be alone (n is 1) stay so.
function(convene_units target unit)
  if(unit GREATER 1)
    math(EXPR unit "${unit} * ${CONVENE_UNIT_FACTOR}")
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON
                                             UNITY_BUILD_BATCH_SIZE ${unit})
endfunction()

# The targets that rooms and libraries stand for: `protocol/json` is the room
# convene_protocol_json, anything with `::` is itself.
function(convene_targets result)
  set(targets)
  foreach(name IN LISTS ARGN)
    if(NOT name MATCHES "::")
      string(REPLACE "/" "_" name "convene_${name}")
    endif()
    list(APPEND targets "${name}")
  endforeach()
  set(${result} ${targets} PARENT_SCOPE)
endfunction()

# convene_room([CAF] [COLD] [UNIT <n>] [SOURCES <file>...]
#              [USES <room or target>...] [PRIVATE_USES <room or target>...])
#
# The folder that calls it is a room: all of its .cpp files, and no other
# folder's, make one library, in units of n files each. USES are what its
# headers include, PRIVATE_USES what its sources include besides;
# .ci/check_layers.py holds the includes to these lists.
#
# A COLD room runs once for a command, a file or a session, never for a turn.
function(convene_room)
  cmake_parse_arguments(PARSE_ARGV 0 arg "CAF;COLD" "UNIT"
                        "SOURCES;USES;PRIVATE_USES")
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR
             BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE room)
  convene_targets(target ${room})
  convene_targets(uses ${arg_USES})
  convene_targets(private_uses ${arg_PRIVATE_USES})
  set_property(GLOBAL APPEND PROPERTY CONVENE_ROOMS ${room})
  set_property(GLOBAL PROPERTY CONVENE_USES_${room} ${arg_USES}
                               ${arg_PRIVATE_USES})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  list(APPEND sources ${arg_SOURCES})
  if(NOT sources)
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE "${CONVENE_INCLUDE_ROOT}")
    target_link_libraries(${target} INTERFACE ${uses})
    return()
  endif()
  add_library(${target} STATIC ${sources})
  target_include_directories(${target} PUBLIC "${CONVENE_INCLUDE_ROOT}")
  target_link_libraries(${target} PUBLIC ${uses} PRIVATE ${private_uses}
                                                         convene_flags)
  set_target_properties(
    ${target}
    PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON)
  # The protocol's shared libraries export all of it; calls inside a library
  # stay direct.
  if(room MATCHES "^(protocol|schemas)")
    set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET default)
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  elseif(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # clang reads a precompiled header only at its own visibility.
    set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET default)
  endif()
  set(pch convene_pch)
  set(options ${CONVENE_HOT})
  if(arg_COLD)
    set(pch ${CONVENE_COLD_PCH})
    set(options ${CONVENE_COLD})
  endif()
  if(arg_CAF)
    set(pch convene_pch_caf)
    set(options)
  else()
    target_compile_definitions(${target} PRIVATE ${CONVENE_CHECKED})
  endif()
  target_compile_options(${target} PRIVATE ${options} ${CONVENE_ROOM_OPTIONS})
  if(NOT arg_UNIT)
    set(arg_UNIT 8)
  endif()
  if(CONVENE_UNITY)
    convene_units(${target} ${arg_UNIT})
    target_precompile_headers(${target} REUSE_FROM ${pch})
  endif()
endfunction()
