#include <convene/server/http/limit_table.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <type_traits>

namespace convene::server {
namespace {

/// Calls `visit` with the name, the member and the least and largest number of
/// each limit.
template <class Limits, class Visit>
void visit_limits(Limits& of, Visit visit) {
  constexpr std::uint64_t mega = 1 << 20;
  visit("request_line_bytes_max", of.request_line_bytes_max, 64, mega);
  visit("header_bytes_max", of.header_bytes_max, 256, mega);
  visit("headers_max", of.headers_max, 1, 1'000);
  visit("body_bytes_max", of.body_bytes_max, 1, 1'024 * mega);
  visit("bodies_bytes_max", of.bodies_bytes_max, 1, 65'536 * mega);
  visit("connections_max", of.connections_max, 1, 1'000'000);
  visit("address_connections_max", of.address_connections_max, 1, 1'000'000);
  visit("key_connections_max", of.key_connections_max, 1, 1'000'000);
  visit("streams_max", of.streams_max, 0, 1'000'000);
  visit("requests_per_second", of.requests_per_second, 0, 1'000'000);
  visit("request_time_ms", of.request_time, 1, 3'600'000);
  visit("idle_time_ms", of.idle_time, 1, 3'600'000);
  visit("stall_time_ms", of.stall_time, 1, 3'600'000);
  visit("keepalive_time_ms", of.keepalive_time, 1, 30'000);
  visit("stream_part_bytes", of.stream_part_bytes, 1, mega);
  visit("answer_bytes_max", of.answer_bytes_max, 64 << 10, 1'024 * mega);
  visit("key_answers_bytes_max", of.key_answers_bytes_max, 64 << 10,
        65'536 * mega);
  visit("answers_bytes_max", of.answers_bytes_max, 64 << 10, 65'536 * mega);
  visit("bytes_per_second_min", of.bytes_per_second_min, 0, 1'024 * mega);
  visit("key_sessions_max", of.key_sessions_max, 1, 1'000'000);
  visit("key_sessions_bytes_max", of.key_sessions_bytes_max, 64 << 10,
        1'048'576 * mega);
  visit("sessions_bytes_max", of.sessions_bytes_max, 64 << 10,
        1'048'576 * mega);
  visit("key_runs_max", of.key_runs_max, 1, 1'000'000);
  visit("key_runs_bytes_max", of.key_runs_bytes_max, 64 << 10,
        1'048'576 * mega);
}

template <class Number>
std::uint64_t number_in(const Number& member) {
  if constexpr (std::is_integral_v<Number>)
    return member;
  else
    return static_cast<std::uint64_t>(member.count());
}

} // namespace

protocol::result<void> set_limit(http_limits& limits, std::string_view text) {
  const auto name = text.substr(0, text.find('='));
  const auto digits = text.substr(std::min(name.size() + 1, text.size()));
  std::uint64_t number = 0;
  const auto* const end = digits.data() + digits.size();
  const auto [stop, failed] = std::from_chars(digits.data(), end, number);
  const bool is_number = failed == std::errc{} && stop == end;
  bool is_set = false;
  std::string names;
  std::string range; // of the one that is meant
  visit_limits(limits, [&](std::string_view known, auto& member,
                           std::uint64_t least, std::uint64_t most) {
    names += (names.empty() ? "" : ", ") + std::string{known};
    if (known != name)
      return;
    range = std::to_string(least) + " to " + std::to_string(most);
    is_set = is_number && number >= least && number <= most;
    if (is_set)
      member = static_cast<std::remove_reference_t<decltype(member)>>(number);
  });
  if (is_set)
    return {};
  return protocol::fail(
    {.code = protocol::errc::usage,
     .message = range.empty()
                  ? "--limit expects NAME=N, and NAME is one of " + names
                  : "--limit " + std::string{name}
                      + "=N expects a whole number from " + range,
     .rule = "limit",
     .value = std::string{text}});
}

std::string limit_lines(const http_limits& limits) {
  std::string out;
  visit_limits(limits, [&out](std::string_view name, const auto& member,
                              std::uint64_t, std::uint64_t) {
    out += std::string{name} + '=' + std::to_string(number_in(member)) + '\n';
  });
  return out;
}

} // namespace convene::server
