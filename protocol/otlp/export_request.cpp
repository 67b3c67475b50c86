#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/otlp/export_request.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace convene::protocol {
namespace {

/// The last whole millisecond whose nanoseconds fit into 64 bits.
constexpr timestamp_ms exported_time_max = 18'446'744'073'708;

/// 64-bit integers are texts in OTLP's JSON.
std::string nanoseconds(timestamp_ms time) {
  const auto in_range = std::clamp<timestamp_ms>(time, 0, exported_time_max);
  return in_range == 0 ? "0" : std::to_string(in_range) + "000000";
}

std::string trace_text(const uuid& id) {
  return hex_of(id.high, 16) + hex_of(id.low, 16);
}

/// A span's id is the first half of its segment's.
std::string span_text(std::uint64_t id) {
  return hex_of(id, 16);
}

json::object value_of(const json::value& value) {
  if (value.is_bool())
    return {{"boolValue", value}};
  if (value.is_int64())
    return {{"intValue", std::to_string(value.get_int64())}};
  if (value.is_double())
    return {{"doubleValue", value}};
  if (!value.is_array())
    return {{"stringValue", value}};
  json::array values;
  for (const auto& each : value.get_array())
    values.push_back(value_of(each)); // NOLINT(misc-no-recursion)
  return {{"arrayValue", json::object{{"values", std::move(values)}}}};
}

json::array attributes_of(const json::object& from) {
  json::array attributes;
  attributes.reserve(from.size());
  for (const auto& [name, value] : from)
    attributes.push_back({{"key", name}, {"value", value_of(value)}});
  return attributes;
}

json::array events_of(const trace_span& what) {
  json::array events;
  events.reserve(what.events.size());
  for (const auto& each : what.events)
    events.push_back({{"timeUnixNano", nanoseconds(each.at)},
                      {"name", each.name},
                      {"attributes", attributes_of(each.attributes)}});
  return events;
}

json::object status_of(const trace_span& what) {
  json::object status;
  if (!what.message.empty())
    status.emplace("message", what.message);
  status.emplace("code", static_cast<int>(what.status));
  return status;
}

/// A turn that was handed on to links to the one that gave it.
json::array links_of(const trace_span& what, const span_trace& trace,
                     const std::string& trace_id) {
  const json::object attributes{{"mplp.link", "handoff"}};
  json::array links;
  links.push_back({{"traceId", trace_id},
                   {"spanId", span_text(trace.spans[*what.linked].id)},
                   {"attributes", attributes_of(attributes)}});
  return links;
}

/// Those of the traceparent, and whether the parent is the caller's.
std::int64_t flags_of(const trace_parent& caller, bool is_root) {
  constexpr std::int64_t has_is_remote = 0x100;
  constexpr std::int64_t is_remote = 0x200;
  return caller.flags | has_is_remote | (is_root ? is_remote : 0);
}

json::object otlp_span_of(const trace_span& what, const span_trace& trace,
                          const std::string& trace_id) {
  json::object made{{"traceId", trace_id}, {"spanId", span_text(what.id)}};
  if (!trace.state.empty())
    made.emplace("traceState", trace.state);
  if (what.parent)
    made.emplace("parentSpanId", span_text(trace.spans[*what.parent].id));
  else if (trace.caller)
    made.emplace("parentSpanId", span_text(trace.caller->span));
  if (trace.caller)
    made.emplace("flags", flags_of(*trace.caller, !what.parent));
  made.emplace("name", what.name);
  made.emplace("kind", static_cast<int>(what.kind));
  made.emplace("startTimeUnixNano", nanoseconds(what.start));
  made.emplace("endTimeUnixNano", nanoseconds(what.end));
  made.emplace("attributes", attributes_of(what.attributes));
  if (!what.events.empty())
    made.emplace("events", events_of(what));
  if (what.events_dropped != 0)
    made.emplace("droppedEventsCount", what.events_dropped);
  if (what.linked)
    made.emplace("links", links_of(what, trace, trace_id));
  made.emplace("status", status_of(what));
  return made;
}

} // namespace

json::object export_request(const span_trace& trace, std::string_view version) {
  const auto trace_id = trace_text(trace.id);
  json::array spans;
  spans.reserve(trace.spans.size());
  for (const auto& each : trace.spans)
    spans.push_back(otlp_span_of(each, trace, trace_id));
  const json::object scope{{"name", "convene"}, {"version", version}};
  const json::object service{{"service.name", "convene"},
                             {"service.version", version}};
  const json::object resource{{"attributes", attributes_of(service)}};
  json::array of_scope{
    json::object{{"scope", scope}, {"spans", std::move(spans)}}};
  json::array of_resource{
    json::object{{"resource", resource}, {"scopeSpans", std::move(of_scope)}}};
  return {{"resourceSpans", std::move(of_resource)}};
}

} // namespace convene::protocol
