#include <boost/json/serialize.hpp>
#include <convene/cli/commands/export/export_traces.hpp>
#include <convene/protocol/cloudevents/cloud_event.hpp>
#include <convene/protocol/otlp/export_request.hpp>
#include <convene/protocol/otlp/session_spans.hpp>
#include <convene/protocol/perfetto/perfetto_trace.hpp>

#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;

constexpr std::size_t exported_spans_max = 100'000;
constexpr std::size_t exported_bytes_max = std::size_t{1} << 30U;

/// The trace of each session, made into a text by `make`.
template <class Make>
result<named_texts> export_spans(const format_order& order,
                                 std::string_view ending, const Make& make) {
  std::size_t spans = 0;
  auto sessions = show_sessions(
    order.path, [](std::string_view id) { return session_spans{id}; },
    [&](session_spans& session, const json::object& event) -> result<void> {
      const auto before = session.size();
      if (auto added = session.add(event); !added) {
        added.error().file = order.path;
        return added;
      }
      spans += session.size() - before;
      if (spans <= exported_spans_max)
        return {};
      return fail({.code = errc::limit_reached,
                   .message = "its sessions have over "
                              + std::to_string(exported_spans_max) + " spans",
                   .file = order.path,
                   .rule = "exported_spans_max"});
    });
  if (!sessions)
    return fail(sessions.error());
  named_texts all;
  for (auto& [id, session] : *sessions)
    if (const auto trace = std::move(session).take(); !trace.spans.empty())
      all.emplace_back(file_name(id, all.size(), ending), make(trace));
  if (all.empty())
    return fail({.code = errc::invalid_document,
                 .message = "has no events with a time",
                 .file = order.path});
  return all;
}

} // namespace

result<named_texts> export_otlp(const format_order& order,
                                std::vector<std::string>&) {
  return export_spans(order, ".json", [](const span_trace& trace) {
    return json::serialize(export_request(trace, CONVENE_VERSION)) + '\n';
  });
}

result<named_texts> export_perfetto(const format_order& order,
                                    std::vector<std::string>&) {
  return export_spans(order, ".pftrace", perfetto_trace);
}

result<named_texts> export_cloudevents(const format_order& order,
                                       std::vector<std::string>&) {
  const auto sources = host::export_sources(order.path);
  if (!sources)
    return fail(sources.error());
  std::string text;
  std::size_t number = 0;
  const auto visit = [&](const host::read_item& item) -> result<void> {
    const auto* event = item.value.if_object();
    ++number;
    if (event == nullptr || !event->contains("event_type"))
      return {};
    text
      += json::serialize(cloud_event(*event, "event-" + std::to_string(number)))
         + '\n';
    if (text.size() <= exported_bytes_max)
      return {};
    return fail(
      {.code = errc::limit_reached,
       .message = "gives over " + std::to_string(exported_bytes_max) + " bytes",
       .file = order.path,
       .rule = "exported_bytes_max"});
  };
  for (const auto& source : *sources)
    if (source.is_events)
      if (const auto read = host::visit_items(source, visit); !read)
        return fail(read.error());
  if (text.empty())
    return fail({.code = errc::invalid_document,
                 .message = "has no events",
                 .file = order.path});
  return named_texts{{"cloudevents.jsonl", std::move(text)}};
}

} // namespace convene::cli
