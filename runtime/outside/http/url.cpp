#include <convene/runtime/outside/http/curl_library.hpp>
#include <convene/runtime/outside/http/url.hpp>

#include <algorithm>
#include <charconv>
#include <memory>

namespace convene::host {
namespace {

struct url_cleanup {
  void operator()(CURLU* what) const noexcept {
    curl().url_cleanup(what);
  }
};
using url_handle = std::unique_ptr<CURLU, url_cleanup>;

std::string part_of(CURLU* from, CURLUPart what, unsigned flags = 0) {
  char* text = nullptr;
  if (curl().url_get(from, what, &text, flags) != CURLUE_OK)
    return {};
  const std::unique_ptr<char, decltype(curl_library::free)> owner{text,
                                                                  curl().free};
  return text;
}

protocol::error wrong(std::string_view rule, std::string message) {
  return {.code = protocol::errc::invalid_document,
          .message = std::move(message),
          .rule = std::string{rule}};
}

/// A part of a URL for a message.
std::string shown(std::string text) {
  if (text.size() > 200)
    text.resize(200);
  std::ranges::replace_if(
    text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

} // namespace

std::string to_string(const url_origin& what) {
  return what.scheme + "://" + what.host + ':' + std::to_string(what.port);
}

protocol::result<url_origin> origin_of(std::string_view url) {
  if (const auto& library = find_curl(); !library)
    return protocol::fail(library.error());
  const url_handle parsed{curl().url()};
  const bool readable = parsed && url.find('\0') == url.npos
                        && curl().url_set(parsed.get(), CURLUPART_URL,
                                          std::string{url}.c_str(),
                                          CURLU_NON_SUPPORT_SCHEME)
                             == CURLUE_OK;
  if (!readable)
    return protocol::fail(wrong("url_invalid", "this is not a URL; write one "
                                               "like https://example.org/v1"));
  url_origin found{.scheme = part_of(parsed.get(), CURLUPART_SCHEME),
                   .host = part_of(parsed.get(), CURLUPART_HOST)};
  if (found.scheme != "http" && found.scheme != "https")
    return protocol::fail(
      wrong("scheme_refused", "only http and https URLs are called"));
  if (!part_of(parsed.get(), CURLUPART_USER).empty()
      || !part_of(parsed.get(), CURLUPART_PASSWORD).empty())
    return protocol::fail(wrong("url_invalid", "the URL has a user name or "
                                               "password; put secrets into "
                                               "the environment"));
  std::ranges::transform(found.host, found.host.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const auto port = part_of(parsed.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
  std::from_chars(port.data(), port.data() + port.size(), found.port);
  if (found.host.empty() || found.port == 0)
    return protocol::fail(wrong("url_invalid", "the URL names no host"));
  return found;
}

std::string redirect_target(std::string_view from, std::string_view location) {
  const url_handle parsed{curl().url()};
  if (!parsed)
    return {};
  curl().url_set(parsed.get(), CURLUPART_URL, std::string{from}.c_str(), 0);
  if (curl().url_set(parsed.get(), CURLUPART_URL, std::string{location}.c_str(),
                     CURLU_NON_SUPPORT_SCHEME)
      != CURLUE_OK)
    return "an unreadable place";
  for (auto secret : {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY,
                      CURLUPART_FRAGMENT})
    curl().url_set(parsed.get(), secret, nullptr, 0);
  return shown(part_of(parsed.get(), CURLUPART_URL));
}

std::string path_of(std::string_view url) {
  const url_handle parsed{curl().url()};
  if (!parsed
      || curl().url_set(parsed.get(), CURLUPART_URL, std::string{url}.c_str(),
                        0)
           != CURLUE_OK)
    return "/";
  return shown(part_of(parsed.get(), CURLUPART_PATH));
}

} // namespace convene::host
