#include <convene/runtime/data/yaml/yaml_library.hpp>
#include <convene/runtime/log/files/late_library.hpp>

namespace convene::host {
namespace {

protocol::result<yaml_library> load_yaml() {
  yaml_library made;
#define CONVENE_LATE(name) late("yaml_" #name, made.name),
  return load_library(CONVENE_LIBYAML, {CONVENE_YAML_FUNCTIONS(CONVENE_LATE)})
#undef CONVENE_LATE
    .map([&] { return made; });
}

} // namespace

const protocol::result<yaml_library>& find_yaml() {
  static const auto made = load_yaml();
  return made;
}

} // namespace convene::host
