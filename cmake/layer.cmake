# Warnings and language level, in one place, for our own code only.
add_library(convene_flags INTERFACE)
target_compile_options(
  convene_flags
  INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast
            -Wnon-virtual-dtor -Woverloaded-virtual
            -Wno-missing-field-initializers -Wno-maybe-uninitialized)

# Headers are included as <convene/layer/file.hpp>, in the tree as after
# installation: the include root holds one link, which points at the source.
set(CONVENE_INCLUDE_ROOT "${PROJECT_BINARY_DIR}/include")
file(MAKE_DIRECTORY "${CONVENE_INCLUDE_ROOT}")
file(CREATE_LINK "${PROJECT_SOURCE_DIR}" "${CONVENE_INCLUDE_ROOT}/convene"
     SYMBOLIC)

# convene_layer(<folder> [PURE] SOURCES <file>... [USES <target>...]
#               [PRIVATE_USES <target>...])
#
# One folder is one layer is one static library. PURE layers know nothing of
# CAF, so they can have the standard library check itself; CAF 0.17's headers
# trip its checks.
function(convene_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PURE" "" "SOURCES;USES;PRIVATE_USES")
  add_library(convene_${name} STATIC ${arg_SOURCES})
  add_library(convene::${name} ALIAS convene_${name})
  target_include_directories(convene_${name}
                             PUBLIC "${CONVENE_INCLUDE_ROOT}")
  target_compile_features(convene_${name} PUBLIC cxx_std_20)
  target_link_libraries(
    convene_${name} PUBLIC ${arg_USES} PRIVATE ${arg_PRIVATE_USES} convene_flags)
  if(arg_PURE)
    target_compile_definitions(convene_${name}
                               PRIVATE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
  endif()
endfunction()
