#pragma once

#include <convene/protocol/base/error.hpp>
#include <yaml.h>

// For sources in this folder only.

namespace convene::host {

/// What is called of libyaml, which is loaded when the first YAML is read.
struct yaml_library {
  decltype(&::yaml_parser_initialize) parser_initialize = nullptr;
  decltype(&::yaml_parser_delete) parser_delete = nullptr;
  decltype(&::yaml_parser_set_encoding) parser_set_encoding = nullptr;
  decltype(&::yaml_parser_set_input_string) parser_set_input_string = nullptr;
  decltype(&::yaml_parser_parse) parser_parse = nullptr;
  decltype(&::yaml_event_delete) event_delete = nullptr;
};

/// Error: see `load_library`.
[[nodiscard]] const protocol::result<yaml_library>& find_yaml();

} // namespace convene::host
