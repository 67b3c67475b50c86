#include <convene/runtime/data/yaml/yaml_library.hpp>
#include <convene/runtime/log/files/late_library.hpp>

namespace convene::host {
namespace {

protocol::result<yaml_library> load_yaml() {
  yaml_library made;
  return load_library(
           CONVENE_LIBYAML,
           {late("yaml_parser_initialize", made.parser_initialize),
            late("yaml_parser_delete", made.parser_delete),
            late("yaml_parser_set_encoding", made.parser_set_encoding),
            late("yaml_parser_set_input_string", made.parser_set_input_string),
            late("yaml_parser_parse", made.parser_parse),
            late("yaml_event_delete", made.event_delete)})
    .map([&] { return made; });
}

} // namespace

const protocol::result<yaml_library>& find_yaml() {
  static const auto made = load_yaml();
  return made;
}

} // namespace convene::host
