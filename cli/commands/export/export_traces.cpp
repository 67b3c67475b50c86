#include <boost/json/serialize.hpp>
#include <convene/cli/commands/export/export_traces.hpp>
#include <convene/cli/commands/export/shown_sessions.hpp>
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
result<made_files> export_spans(const format_order& order,
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
  made_files all;
  for (auto& [id, session] : *sessions)
    if (const auto trace = std::move(session).take(); !trace.spans.empty()) {
      all.begin(file_name(id, all.files().size(), ending));
      if (auto done = all.write(make(trace)); !done)
        return fail(std::move(done).error());
    }
  if (all.files().empty())
    return fail({.code = errc::invalid_document,
                 .message = "has no events with a time",
                 .file = order.path});
  return all;
}

} // namespace

result<made_files> export_otlp(const format_order& order,
                               std::vector<std::string>&) {
  return export_spans(order, ".json", [](const span_trace& trace) {
    return json::serialize(export_request(trace, CONVENE_VERSION)) + '\n';
  });
}

result<made_files> export_perfetto(const format_order& order,
                                   std::vector<std::string>&) {
  return export_spans(order, ".pftrace", perfetto_trace);
}

result<made_files> export_cloudevents(const format_order& order,
                                      std::vector<std::string>&) {
  const auto sources = host::export_sources(order.path);
  if (!sources)
    return fail(sources.error());
  made_files made;
  made.begin("cloudevents.jsonl");
  const auto& bytes = made.files().front().bytes;
  std::size_t number = 0;
  const auto visit = [&](const host::read_item& item) -> result<void> {
    const auto* event = item.value.if_object();
    ++number;
    if (event == nullptr || !event->contains("event_type"))
      return {};
    if (auto done = made.write(json::serialize(cloud_event(
                                 *event, "event-" + std::to_string(number)))
                               + '\n');
        !done || bytes <= exported_bytes_max)
      return done;
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
  if (bytes == 0)
    return fail({.code = errc::invalid_document,
                 .message = "has no events",
                 .file = order.path});
  return made;
}

} // namespace convene::cli
