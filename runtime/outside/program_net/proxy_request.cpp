#include <convene/protocol/base/ascii.hpp>
#include <convene/runtime/outside/permissions/permissions.hpp>
#include <convene/runtime/outside/program_net/proxy_request.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {
namespace {

constexpr std::uint16_t http_port = 80;

tl::unexpected<protocol::error> bad_proxy_request(const char* why) {
  return protocol::fail(protocol::errc::usage, why, "proxy_request");
}

std::string lower(std::string_view text) {
  std::string made{text};
  std::ranges::transform(made, made.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return made;
}

/// Whether a header is between a client and its proxy.
bool is_for_proxy(std::string_view line) {
  const auto name = lower(line.substr(0, line.find(':')));
  return name.starts_with("proxy-") || name == "connection"
         || name == "keep-alive";
}

/// The part before `end`, which is removed with it.
std::string_view cut(std::string_view& text, std::string_view end) {
  const auto at = std::min(text.find(end), text.size());
  const auto part = text.substr(0, at);
  text.remove_prefix(std::min(at + end.size(), text.size()));
  return part;
}

} // namespace

protocol::result<proxy_request> read_proxy_request(std::string_view head) {
  auto line = cut(head, "\r\n");
  const auto method = cut(line, " ");
  auto target = cut(line, " ");
  if (method.empty() || target.empty() || !line.starts_with("HTTP/1."))
    return bad_proxy_request("this is not a request of HTTP/1.1");
  proxy_request made;
  made.is_tunnel = method == "CONNECT";
  std::string path;
  if (!made.is_tunnel) {
    if (!lower(target).starts_with("http://"))
      return bad_proxy_request("use CONNECT, except for http:// URLs");
    target.remove_prefix(7);
    const auto end = std::min(target.find_first_of("/?#"), target.size());
    path = target.substr(end);
    if (!path.starts_with('/'))
      path.insert(path.begin(), '/');
    target = target.substr(0, end);
  }
  auto where = read_endpoint(target);
  if (!where)
    return bad_proxy_request("the host is not valid");
  made.host = std::move(where->host);
  made.port = where->port != 0 ? where->port : http_port;
  if (made.is_tunnel) {
    if (where->port == 0)
      return bad_proxy_request("CONNECT requires HOST:PORT");
    return made;
  }
  made.head = std::string{method} + ' ' + path + ' ' + std::string{line}
              + "\r\n";
  while (!head.empty())
    if (const auto each = cut(head, "\r\n");
        !each.empty() && !is_for_proxy(each))
      made.head.append(each).append("\r\n");
  made.head += "Connection: close\r\n\r\n";
  return made;
}

} // namespace convene::host
