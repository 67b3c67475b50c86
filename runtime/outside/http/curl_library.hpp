#pragma once

#include <convene/protocol/base/error.hpp>
#include <curl/curl.h>

// For sources in this folder only.

namespace convene::host {

/// The functions of libcurl that are called, without `curl_`.
// clang-format off
#define CONVENE_CURL_FUNCTIONS(use)                                            \
  use(easy_cleanup) use(easy_getinfo) use(easy_init) use(easy_pause)           \
  use(easy_setopt) use(easy_strerror) use(free) use(getdate) use(global_init)  \
  use(multi_add_handle) use(multi_cleanup) use(multi_info_read)                \
  use(multi_init) use(multi_remove_handle) use(multi_setopt)                   \
  use(multi_socket_action) use(slist_append) use(slist_free_all) use(url)      \
  use(url_cleanup) use(url_get) use(url_set)
// clang-format on

/// What is called of libcurl, which is loaded when the first URL is read.
struct curl_library {
#define CONVENE_MEMBER(name) decltype(&::curl_##name) name = nullptr;
  CONVENE_CURL_FUNCTIONS(CONVENE_MEMBER)
#undef CONVENE_MEMBER
};

/// Error: see `load_library`.
[[nodiscard]] const protocol::result<curl_library>& find_curl();

/// As `find_curl`; throws std::runtime_error if it fails.
[[nodiscard]] const curl_library& curl();

} // namespace convene::host
