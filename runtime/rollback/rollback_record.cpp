#include <boost/json/serialize.hpp>
#include <convene/protocol/base/seal.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/graph/graph_fold.hpp>
#include <convene/protocol/graph/graph_json.hpp>
#include <convene/protocol/graph/graph_update.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/event_log/torn.hpp>
#include <convene/runtime/log/event_log/writer.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/rollback/rollback_record.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>

#include <algorithm>
#include <fstream>
#include <limits>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

namespace fs = std::filesystem;
using namespace convene::protocol;

/// Keeps the ids of these events apart from others of the same key.
constexpr std::uint64_t event_space = 0x726f6c6c;

using event_visitor = std::function<result<void>(
  const log_place&, const json::object&, std::string_view line)>;

/// Visits the first events of a log, and reports the first failure with its
/// place.
result<void> visit_events(const fs::path& file, std::uint64_t count,
                          const event_visitor& visit) {
  result<void> done;
  std::uint64_t seen = 0;
  const auto read
    = visit_log(file, [&](const log_place& place, std::string_view line) {
        if (!done || seen == count)
          return;
        ++seen;
        const auto event = parse_json(without_seal(line));
        if (!event)
          done = fail(event.error());
        else if (const auto* members = event->if_object())
          done = visit(place, *members, line);
        if (!done) {
          done.error().file = file.string();
          done.error().line = place.number;
        }
      });
  return read ? done : fail(read.error());
}

fs::path log_of(const fs::path& run) {
  return session_folder_of(run) / "events.jsonl";
}

/// Whether a kill left nothing but the beginning of a log's first line.
bool was_only_begun(const fs::path& file) {
  constexpr std::streamsize read_max = 512;
  std::string start(read_max, '\0');
  std::ifstream from{file, std::ios::binary};
  from.read(start.data(), read_max);
  start.resize(static_cast<std::size_t>(from.gcount()));
  return is_torn_start(start);
}

constexpr auto all_events = std::numeric_limits<std::uint64_t>::max();

} // namespace

fs::path rollback_file_of(const fs::path& run) {
  return run / "rollback.jsonl";
}

bool was_rolled_back(const fs::path& run) {
  std::error_code failed;
  return fs::exists(rollback_file_of(run), failed);
}

result<session::run_stages> read_stages(const fs::path& run) {
  session::run_stages made;
  auto read = visit_events(log_of(run), all_events,
                           [&](const log_place&, const json::object& event,
                               std::string_view) {
                             made.feed(event);
                             return result<void>{};
                           });
  if (!read)
    return fail(std::move(read).error());
  return made;
}

result<rollback_record> rollback_record::read(const fs::path& run,
                                              const visitor& visit) {
  auto stages = read_stages(run);
  if (!stages)
    return fail(std::move(stages).error());
  rollback_record made;
  made.run_ = run;
  made.stages_ = std::make_unique<session::run_stages>(*std::move(stages));
  made.book_ = std::make_unique<session::rollback_book>(*made.stages_);
  if (!was_rolled_back(run))
    return made;
  auto read = visit_events(rollback_file_of(run), all_events,
                           [&](const log_place& at, const json::object& event,
                               std::string_view line) -> result<void> {
                             if (visit)
                               visit(made, at.number, event);
                             if (auto fits = made.book_->feed(event); !fits)
                               return fits;
                             if (made.seals_.take(line))
                               return {};
                             return fail(errc::invalid_document,
                                         "the line does not have the seal that "
                                         "follows from the lines before it: "
                                         "the file was edited",
                                         "rollback_seal");
                           });
  if (!read
      && !(read.error().rule == "not_a_log"
           && was_only_begun(rollback_file_of(run))))
    return fail(std::move(read).error());
  return made;
}

result<void> rollback_record::visit_run(
  std::uint64_t count,
  const std::function<result<void>(const json::object&)>& visit) const {
  return visit_events(log_of(run_), count,
                      [&](const log_place&, const json::object& event,
                          std::string_view) { return visit(event); });
}

result<project_graph> rollback_record::graph_at(std::size_t place) const {
  project_graph made;
  graph_fold fold{made};
  auto done = visit_run(stages_->events_at(place).value_or(0),
                        [&](const json::object& event) {
                          // Dialog and Trace are never rolled back.
                          return text_of(event, "event_type")
                                     == "session_recorded"
                                   ? result<void>{}
                                   : fold.feed(event);
                        });
  if (!done)
    return fail(std::move(done).error());
  return made;
}

result<json::object>
rollback_record::graph_rolled_back(const session::rollback& what) const {
  auto before = graph_at(book_->place());
  if (!before)
    return fail(std::move(before).error());
  const auto after = graph_at(stages_->place_of(what.to).value_or(0));
  if (!after)
    return fail(after.error());
  const auto update = make_update(1, {}, compare(*before, *after));
  const auto hash = graph_hash(*after);
  if (auto made = apply_changes(*before, update.changes); !made)
    return fail(std::move(made).error());
  if (graph_hash(*before) != hash)
    return fail(errc::internal,
                "the graph is not that of the stage after the rollback",
                "rollback_graph");
  return json::object{
    {"event_type", "graph_rolled_back"},
    {"event_family", "graph_update"},
    {"graph_id", text_of(object_of(stages_->spec(), "context"), "context_id")},
    {"update_kind", to_word(update.kind)},
    {"node_delta", update.node_delta},
    {"edge_delta", update.edge_delta},
    {"source_module", "core"},
    {"payload",
     {{"compensation_id", what.compensation_id},
      {"to", what.to},
      {"hash", hash},
      {"changes", to_json(update).at("changes")}}}};
}

std::string rollback_record::next_event_id() const {
  return to_string(
    derive_uuid(hashed_uuid(stages_->sa_id()), event_space, book_->events()));
}

timestamp_ms rollback_record::earliest() const {
  return std::max(parse_timestamp(stages_->time()).value_or(0),
                  parse_timestamp(book_->time()).value_or(0));
}

result<void> rollback_record::append(const std::vector<json::object>& events,
                                     timestamp_ms at) {
  // Closed again below: its thread must not be there when signals are blocked
  // for the session.
  auto log = event_log_writer::open(rollback_file_of(run_),
                                    {.durability = durability::group,
                                     .existing = existing_log::append});
  if (!log)
    return fail(std::move(log).error());
  at = std::max(at, earliest());
  std::string lines;
  for (const auto& each : events) {
    json::object event{{"event_id", next_event_id()},
                       {"event_type", text_of(each, "event_type")},
                       {"event_family", text_of(each, "event_family")},
                       {"timestamp", format_timestamp(at)}};
    for (const auto& [name, value] : each)
      event.emplace(name, value);
    if (auto fits = book_->feed(event); !fits)
      return fail(errc::internal,
                  "the rollback's event cannot follow: " + fits.error().message,
                  fits.error().rule);
    lines += seals_.seal(json::serialize(event)) + '\n';
  }
  if (auto added = (*log)->append(lines); !added)
    return fail(std::move(added).error());
  return (*log)->close();
}

} // namespace convene::host
