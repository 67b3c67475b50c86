#include <convene/server/peers/peer_request.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace convene::server {
namespace {

constexpr std::int64_t connect_time_ms = 3'000;
/// Longer than a start or an answer may take to become durable.
constexpr std::int64_t change_time_ms = 60'000;
/// Of a stream; libcurl has no larger number.
constexpr std::int64_t stream_time_ms
  = std::chrono::milliseconds{std::chrono::days{20}}.count();
/// Longer than a long poll waits, and than a stream of events is silent.
constexpr std::chrono::seconds silence{75};
/// Of what is answered at once.
constexpr std::chrono::seconds silence_before_answer{20};

bool is_passed_on(std::string_view name) {
  constexpr std::array<std::string_view, 6> names{
    "accept",        "content-type", "idempotency-key",
    "last-event-id", "traceparent",  "tracestate"};
  return std::ranges::find(names, name) != names.end()
         || name.starts_with("if-");
}

void append_escaped(std::string& to, std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  for (const char c : text) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
                          || (c >= 'A' && c <= 'Z') || c == '-' || c == '_'
                          || c == '.' || c == '~';
    const auto byte = static_cast<unsigned char>(c);
    if (is_plain)
      to += c;
    else
      to.append({'%', digits[byte >> 4], digits[byte & 15]});
  }
}

} // namespace

host::http_request peer_request(const request& from, std::string_view own_name,
                                std::string_view node,
                                std::string_view peer_address) {
  constexpr std::string_view scheme = "https://";
  const bool is_change = from.method == "POST" || from.method == "DELETE";
  const bool waits = is_change || from.query.contains("wait_ms")
                     || from.header("accept").find("text/event-stream")
                          != std::string::npos;
  host::http_request made{
    .method = is_change ? from.method : "GET",
    .url = std::string{scheme} + std::string{node} + from.path,
    .body = from.body,
    .timeout_ms = is_change ? change_time_ms : stream_time_ms,
    .connect_timeout_ms = connect_time_ms,
    .repeatable = !is_change,
    .connect_to = std::string{peer_address.substr(
      std::min(scheme.size(), peer_address.size()))},
    .silence = waits ? silence : silence_before_answer};
  char before = '?';
  for (const auto& [name, value] : from.query) {
    made.url += std::exchange(before, '&');
    append_escaped(made.url, name);
    made.url += '=';
    append_escaped(made.url, value);
  }
  if (!from.authorization.empty())
    made.headers.push_back({"authorization", from.authorization});
  for (const auto& [name, value] : from.headers)
    if (is_passed_on(name))
      made.headers.push_back({name, value});
  made.headers.push_back(
    {std::string{passed_on_header}, std::string{own_name}});
  return made;
}

} // namespace convene::server
