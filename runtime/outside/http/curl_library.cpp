#include <convene/runtime/log/files/late_library.hpp>
#include <convene/runtime/outside/http/curl_library.hpp>

#include <stdexcept>

namespace convene::host {
namespace {

protocol::result<curl_library> load_curl() {
  curl_library made;
  return load_library(
           CONVENE_LIBCURL,
           {late("curl_easy_cleanup", made.easy_cleanup),
            late("curl_easy_getinfo", made.easy_getinfo),
            late("curl_easy_init", made.easy_init),
            late("curl_easy_pause", made.easy_pause),
            late("curl_easy_setopt", made.easy_setopt),
            late("curl_easy_strerror", made.easy_strerror),
            late("curl_free", made.free),
            late("curl_getdate", made.getdate),
            late("curl_global_init", made.global_init),
            late("curl_multi_add_handle", made.multi_add_handle),
            late("curl_multi_cleanup", made.multi_cleanup),
            late("curl_multi_info_read", made.multi_info_read),
            late("curl_multi_init", made.multi_init),
            late("curl_multi_remove_handle", made.multi_remove_handle),
            late("curl_multi_setopt", made.multi_setopt),
            late("curl_multi_socket_action", made.multi_socket_action),
            late("curl_slist_append", made.slist_append),
            late("curl_slist_free_all", made.slist_free_all),
            late("curl_url", made.url),
            late("curl_url_cleanup", made.url_cleanup),
            late("curl_url_get", made.url_get),
            late("curl_url_set", made.url_set)})
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
