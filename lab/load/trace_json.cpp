#include <convene/lab/load/trace.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

/// What kv-cache-tester counts in tokens; a token of text is about so long.
constexpr double bytes_of_token = 4;

result<double> member_number(const json::object& from, std::string_view name) {
  const auto* const found = from.if_contains(name);
  if (found == nullptr)
    return 0;
  const auto number = found->is_number() ? found->to_number<double>() : -1;
  if (!(number >= 0) || !std::isfinite(number))
    return fail({.code = errc::invalid_document,
                 .message = std::string{name} + " is a number, 0 at least",
                 .rule = "trace_invalid",
                 .value = shorten_value(*found)});
  return number;
}

result<const json::array*> list_of(const json::object& from,
                                   std::string_view name) {
  static const json::array none;
  const auto* const found = from.if_contains(name);
  if (found == nullptr)
    return &none;
  if (!found->is_array()
      || !std::ranges::all_of(found->get_array(),
                              [](const auto& one) { return one.is_object(); }))
    return fail(errc::invalid_document,
                std::string{name} + " is an array of objects", "trace_invalid");
  return &found->get_array();
}

result<load_time> moved(load_time start, double milliseconds) {
  using std::chrono::duration;
  const duration<double> at = start
                              + duration<double, std::milli>{milliseconds};
  if (at > trace_start_max)
    return fail(errc::invalid_document,
                "a session starts within 100 years from 0", "trace_invalid");
  return start
         + std::chrono::milliseconds{static_cast<std::int64_t>(milliseconds)};
}

/// The form that docs/load.md describes.
result<void> add_own(load_trace& to, const json::object& from, load_time start,
                     int depth) {
  const auto begins = member_number(from, "start_ms");
  const auto turns = list_of(from, "turns");
  const auto children = list_of(from, "children");
  if (!begins || !turns || !children)
    return fail(!begins  ? begins.error()
                : !turns ? turns.error()
                         : children.error());
  const auto begins_at = moved(start, *begins);
  if (!begins_at)
    return fail(begins_at.error());
  trace_session made{.start = *begins_at, .exchanges = {}};
  for (const auto& one : **turns) {
    const auto& turn = one.get_object();
    double numbers[4] = {};
    std::size_t at = 0;
    for (const auto* const name :
         {"think_ms", "prompt_bytes", "answer_ms", "answer_bytes"}) {
      const auto number = member_number(turn, name);
      if (!number)
        return fail(number.error());
      numbers[at++] = *number;
    }
    made.exchanges.push_back({.think_ms = bounded_ms(numbers[0]),
                              .prompt_bytes = cut_text(to, numbers[1]),
                              .answer_ms = bounded_ms(numbers[2]),
                              .answer_bytes = cut_text(to, numbers[3])});
  }
  const auto began = made.start;
  if (auto added = add_session(to, std::move(made)); !added)
    return added;
  for (const auto& child : **children)
    if (auto added = add_recorded(to, child.get_object(), began, depth + 1);
        !added)
      return added;
  return {};
}

/// A conversation of kv-cache-tester: each request has all that was said
/// before in it, and only what is new is said again. Where it has no time of
/// its own, it waits for the rest of the time since the one before.
result<void> add_requests(load_trace& to, const json::object& from,
                          load_time start, int depth) {
  constexpr double ms_of_second = 1'000;
  const auto requests = list_of(from, "requests");
  if (!requests)
    return fail(requests.error());
  trace_session made{.start = start, .exchanges = {}};
  double said = 0; // tokens
  double before = 0;
  for (const auto& one : **requests) {
    const auto& request = one.get_object();
    const auto at = member_number(request, "t");
    const auto in = member_number(request, "in");
    const auto out = member_number(request, "out");
    const auto think = member_number(request, "think_time");
    const auto api = member_number(request, "api_time");
    for (const auto* each : {&at, &in, &out, &think, &api})
      if (!*each)
        return fail(each->error());
    if (protocol::text_of(request, "type") == "subagent") {
      auto added
        = moved(start, *at * ms_of_second).and_then([&](load_time begins) {
            return add_recorded(to, request, begins, depth + 1);
          });
      if (!added)
        return added;
      continue;
    }
    const auto waits = request.contains("think_time")
                         ? *think
                         : std::max(*at - before - *api, 0.0);
    made.exchanges.push_back(
      {.think_ms = bounded_ms(waits * ms_of_second),
       .prompt_bytes = cut_text(to, (*in - said) * bytes_of_token),
       .answer_ms = bounded_ms(*api * ms_of_second),
       .answer_bytes = cut_text(to, *out * bytes_of_token)});
    said = *in + *out;
    before = *at;
  }
  return add_session(to, std::move(made));
}

} // namespace

result<void> add_recorded(load_trace& to, const json::object& from,
                          load_time start, int depth) {
  if (depth > trace_depth_max)
    return fail(errc::limit_reached,
                "sessions have children of children up to 16 levels",
                "trace_depth_max");
  if (from.contains("turns"))
    return add_own(to, from, start, depth);
  if (from.contains("requests"))
    return add_requests(to, from, start, depth);
  return fail(errc::invalid_document,
              "a recorded session has turns, or requests if it comes from "
              "kv-cache-tester",
              "trace_invalid");
}

} // namespace convene::host
