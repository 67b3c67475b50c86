#include <convene/integrations/event_stream/stream_address.hpp>

#include <algorithm>
#include <charconv>
#include <optional>

namespace convene::host {

using namespace protocol;

namespace {

constexpr std::size_t host_bytes_max = 255;
constexpr std::size_t stream_bytes_max = 63;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
         || (c >= '0' && c <= '9');
}

template <class Allowed>
bool consists_of(std::string_view text, std::size_t most, Allowed&& allowed) {
  return !text.empty() && text.size() <= most
         && std::ranges::all_of(text, allowed);
}

tl::unexpected<error> wrong(std::string_view what) {
  return fail(errc::usage,
              "--events-to: " + std::string{what}
                + "; expected nats://HOST[:PORT]/STREAM or "
                  "tls://HOST[:PORT]/STREAM",
              "events_to");
}

std::optional<std::uint16_t> read_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto* const end = text.data() + text.size();
  const auto [at, failed] = std::from_chars(text.data(), end, port);
  if (failed != std::errc{} || at != end || port == 0)
    return std::nullopt;
  return port;
}

/// Reads HOST or HOST:PORT.
result<void> read_host(std::string_view text, stream_address& into) {
  auto host = text;
  auto port = std::string_view{};
  const bool is_ipv6 = text.starts_with('[');
  const auto end = is_ipv6 ? text.find(']') : text.find(':');
  if (is_ipv6) {
    if (end == text.npos)
      return wrong("the address lacks its ]");
    host = text.substr(1, end - 1);
    port = text.substr(end + 1);
  } else if (end != text.npos) {
    host = text.substr(0, end);
    port = text.substr(end);
  }
  const auto allowed = [is_ipv6](char c) {
    return is_letter_or_digit(c) || c == '.' || (is_ipv6 && c == ':')
           || (!is_ipv6 && (c == '-' || c == '_'));
  };
  if (!consists_of(host, host_bytes_max, allowed))
    return wrong("the host is not a name or an address");
  into.host = host;
  if (port.empty())
    return {};
  const auto number = read_port(port.substr(1));
  if (!port.starts_with(':') || !number)
    return wrong("the port is not a number from 1 to 65535");
  into.port = *number;
  return {};
}

} // namespace

std::string stream_address::server() const {
  const bool is_ipv6 = host.find(':') != host.npos;
  return (is_secure ? "tls://" : "nats://")
         + (is_ipv6 ? '[' + host + ']' : host) + ':' + std::to_string(port);
}

result<stream_address> read_stream_address(std::string_view url) {
  constexpr std::string_view plain = "nats://";
  constexpr std::string_view secure = "tls://";
  stream_address made{.is_secure = url.starts_with(secure)};
  if (!made.is_secure && !url.starts_with(plain))
    return wrong("the URL has another scheme");
  url.remove_prefix(made.is_secure ? secure.size() : plain.size());
  if (url.find('@') != url.npos)
    return wrong("a URL on the command line is visible to other users of the "
                 "machine: put the user's name and password into a file and "
                 "name it with --events-credentials");
  const auto slash = url.find('/');
  if (slash == url.npos)
    return wrong("the name of the stream is missing");
  made.stream = url.substr(slash + 1);
  if (!consists_of(made.stream, stream_bytes_max, [](char c) {
        return is_letter_or_digit(c) || c == '-' || c == '_';
      }))
    return wrong("the name of a stream is 1 to 63 letters, digits, hyphens and "
                 "underscores");
  if (auto done = read_host(url.substr(0, slash), made); !done)
    return fail(std::move(done).error());
  return made;
}

} // namespace convene::host
