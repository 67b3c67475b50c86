#include <convene/cli/common/listen_address.hpp>
#include <convene/protocol/text/format.hpp>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>

namespace convene::cli {

protocol::result<listen_address> read_listen_address(std::string_view text) {
  const auto colon = text.rfind(':');
  auto address = text.substr(0, colon);
  const auto digits = colon == text.npos ? std::string_view{}
                                         : text.substr(colon + 1);
  listen_address out;
  const auto* const end = digits.data() + digits.size();
  const auto [stop, failed] = std::from_chars(digits.data(), end, out.port);
  bool is_address = failed == std::errc{} && stop == end;
  if (address.starts_with('[') && address.ends_with(']')) {
    address = address.substr(1, address.size() - 2);
    is_address = is_address && protocol::validation::is_ipv6(address);
  } else if (address == "localhost") {
    address = "127.0.0.1";
  } else {
    is_address = is_address && protocol::validation::is_ipv4(address);
  }
  if (!is_address)
    return protocol::fail(
      {.code = protocol::errc::usage,
       .message = "--listen wants an address in numbers and a port, "
                  "as 127.0.0.1:8080, 0.0.0.0:80 or [::1]:8080",
       .rule = "listen",
       .value = std::string{text}});
  out.address = address;
  return out;
}

void allow_descriptors(std::size_t wanted) {
  rlimit now{};
  if (::getrlimit(RLIMIT_NOFILE, &now) != 0 || now.rlim_cur >= wanted)
    return;
  now.rlim_cur = std::min<rlim_t>(wanted, now.rlim_max);
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &now));
}

} // namespace convene::cli
