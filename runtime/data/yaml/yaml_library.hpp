#pragma once

#include <convene/protocol/base/error.hpp>
#include <yaml.h>

// For sources in this folder only.

namespace convene::host {

/// The functions of libyaml that are called, without `yaml_`.
// clang-format off
#define CONVENE_YAML_FUNCTIONS(use)                                            \
  use(parser_initialize) use(parser_delete) use(parser_set_encoding)           \
  use(parser_set_input_string) use(parser_parse) use(event_delete)
// clang-format on

/// What is called of libyaml, which is loaded when the first YAML is read.
struct yaml_library {
#define CONVENE_MEMBER(name) decltype(&::yaml_##name) name = nullptr;
  CONVENE_YAML_FUNCTIONS(CONVENE_MEMBER)
#undef CONVENE_MEMBER
};

/// Error: see `load_library`.
[[nodiscard]] const protocol::result<yaml_library>& find_yaml();

} // namespace convene::host
