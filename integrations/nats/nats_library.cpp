#include <convene/integrations/nats/nats_library.hpp>
#include <convene/runtime/log/files/late_library.hpp>

namespace convene::host {
namespace {

protocol::result<nats_library> load_nats_functions() {
  nats_library made;
#define CONVENE_LATE(name) late(#name, made.name),
  return load_library(CONVENE_LIBNATS, {CONVENE_NATS_FUNCTIONS(CONVENE_LATE)})
#undef CONVENE_LATE
    .map([&] { return made; })
    .map_error([](protocol::error missing) {
      missing.message += "; install the client library of NATS (Debian: apt "
                         "install libnats3.4)";
      return missing;
    });
}

} // namespace

const protocol::result<nats_library>& load_nats() {
  static const auto made = load_nats_functions();
  return made;
}

} // namespace convene::host
