#include <convene/protocol/text/format.hpp>
#include <convene/server/http/host_rules.hpp>

#include <algorithm>

namespace convene::server {
namespace {

struct host_and_port {
  std::string_view name; ///< of an IPv6 address without its brackets
  std::string_view port; ///< empty: the scheme's
};

host_and_port split_host(std::string_view host) {
  if (host.starts_with('[')) {
    const auto end = std::min(host.find(']'), host.size() - 1);
    const auto rest = host.substr(end + 1);
    return {host.substr(1, end - 1),
            rest.starts_with(':') ? rest.substr(1) : std::string_view{}};
  }
  const auto colon = host.find(':');
  return {host.substr(0, colon),
          colon == host.npos ? std::string_view{} : host.substr(colon + 1)};
}

bool is_ip_address(std::string_view name) {
  return protocol::validation::is_ipv4(name)
         || protocol::validation::is_ipv6(name);
}

} // namespace

bool is_loopback(std::string_view address) {
  return address == "localhost" || address == "::1"
         || (protocol::validation::is_ipv4(address)
             && address.starts_with("127."));
}

bool host_rules::is_own(std::string_view host) const {
  const auto [name, port_text] = split_host(host);
  if (std::ranges::find(names, name) != names.end())
    return true;
  const auto standard = tls ? std::string_view{"443"} : std::string_view{"80"};
  if ((port_text.empty() ? standard : port_text) != std::to_string(port))
    return false;
  if (name == address || (is_loopback(address) && is_loopback(name)))
    return true;
  // What listens everywhere is reached by any address of the machine; a page
  // that means another server knows a name.
  const bool listens_everywhere = address == "0.0.0.0" || address == "::";
  return listens_everywhere && (is_ip_address(name) || is_loopback(name));
}

bool host_rules::allows_cors(std::string_view origin) const {
  return std::ranges::find(origins, origin) != origins.end();
}

std::optional<http_refusal>
host_rules::refusal(const request_head& head) const {
  if (!head.host.empty() && !is_own(head.host))
    return http_refusal{421, "misdirected_request",
                        "this server has another name; start it with the name "
                        "if it is one of its own"};
  const auto origin = head.header("origin");
  if (origin.empty() || allows_cors(origin))
    return std::nullopt;
  // A proxy may speak TLS for a server that does not.
  for (const std::string_view scheme : {"https://", tls ? "" : "http://"})
    if (!scheme.empty() && origin.starts_with(scheme)
        && origin.substr(scheme.size()) == head.host)
      return std::nullopt;
  return http_refusal{403, "origin_not_allowed",
                      "pages of another origin may not make requests"};
}

} // namespace convene::server
