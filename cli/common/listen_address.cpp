#include <convene/cli/common/listen_address.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/protocol/text/format.hpp>
#include <convene/runtime/log/files/descriptor_limit.hpp>

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
       .message = "--listen expects IP:PORT, such as 127.0.0.1:8080, "
                  "0.0.0.0:80 or [::1]:8080",
       .rule = "listen",
       .value = std::string{text}});
  out.address = address;
  return out;
}

void fit_connections(std::size_t& connections_max) {
  // Those that a server has beyond, for health alone.
  constexpr std::size_t spare = 128;
  constexpr std::size_t many = 4096; // fewer are worth a note
  const auto limit = host::allow_descriptors(3 * (connections_max + spare));
  const auto fit = std::max(limit / 3, spare + 8) - spare;
  if (connections_max <= fit)
    return;
  connections_max = fit;
  if (fit >= many)
    return;
  print_note("the system allows " + std::to_string(limit)
             + " open files: at most " + std::to_string(fit)
             + " connections are served; see ulimit -n");
}

} // namespace convene::cli
