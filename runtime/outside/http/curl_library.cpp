#include <convene/runtime/log/files/late_library.hpp>
#include <convene/runtime/outside/http/curl_library.hpp>

#include <stdexcept>

namespace convene::host {
namespace {

protocol::result<curl_library> load_curl() {
  curl_library made;
#define CONVENE_LATE(name) late("curl_" #name, made.name),
  return load_library(CONVENE_LIBCURL, {CONVENE_CURL_FUNCTIONS(CONVENE_LATE)})
#undef CONVENE_LATE
    .map([&] {
      // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): it has been loaded.
      made.global_init(CURL_GLOBAL_DEFAULT);
      return made;
    });
}

} // namespace

const protocol::result<curl_library>& find_curl() {
  static const auto made = load_curl();
  return made;
}

const curl_library& curl() {
  const auto& found = find_curl();
  if (!found)
    throw std::runtime_error{found.error().message};
  return *found;
}

} // namespace convene::host
