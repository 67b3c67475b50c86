#include <convene/protocol/base/ascii.hpp>
#include <convene/runtime/outside/participants/reserved_headers.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace convene::host {

bool is_reserved_header(std::string_view name) {
  std::string lower{name};
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return protocol::is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  });
  constexpr std::array reserved{std::string_view{"content-type"},
                                std::string_view{"content-length"},
                                std::string_view{"transfer-encoding"},
                                std::string_view{"connection"},
                                std::string_view{"host"},
                                std::string_view{"expect"},
                                std::string_view{"idempotency-key"},
                                std::string_view{"traceparent"},
                                std::string_view{"tracestate"},
                                std::string_view{"x-convene-timestamp"},
                                std::string_view{"x-convene-signature"}};
  return std::ranges::find(reserved, lower) != reserved.end();
}

} // namespace convene::host
