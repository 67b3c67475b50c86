#include <convene/protocol/documents/trace_ids.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/state_store/awaited.hpp>
#include <convene/runtime/data/state_store/keys.hpp>
#include <convene/runtime/data/stored_sessions/stored_sessions.hpp>
#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/session/journal/journal.hpp>
#include <convene/session/replay/recorded_input.hpp>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;

/// Events of one transaction.
constexpr std::size_t batch_events_max = 1'000;
constexpr std::size_t batch_bytes_max = 8U << 20;

/// Collects the events of a log and appends them in batches. Holds only what
/// it needs of the sessions that have not ended.
class event_batches {
public:
  explicit event_batches(state_store& into) : into_{into} {}

  /// The next event. After a failure, nothing more.
  void feed(std::string_view line) {
    if (done_)
      done_ = take(line);
  }

  /// After the last one.
  result<void> finish() {
    return done_.and_then([this] { return commit(); });
  }

private:
  struct session_part {
    bool is_wanted = false;
    bool is_known = false; ///< whether it is the run that the store has
    std::string trace_id;
    std::string context_id;
    std::set<std::string, std::less<>> stored; ///< events
  };

  result<void> take(std::string_view line) {
    const auto id = session_of(line);
    if (!id)
      return {};
    const auto [found, is_new] = sessions_.try_emplace(*id);
    auto& of = found->second;
    if (is_new)
      if (auto known = look_up(to_string(*id), of); !known)
        return known;
    if (of.is_wanted)
      if (auto added = add(line, of); !added)
        return added;
    if (is_of_type(line, "MAPSessionCompleted"))
      sessions_.erase(found);
    return {};
  }

  result<void> look_up(const std::string& id, session_part& of) {
    const auto wanted = has_documents(into_, id);
    if (!wanted)
      return fail(wanted.error());
    of.is_wanted = *wanted;
    of.trace_id = to_string(trace_ids{id}.trace());
    state_event_query which{.trace_id = of.trace_id};
    for (bool more = of.is_wanted; more;) {
      const auto page = awaited<state_event_page>(
        [&](auto then) { into_.events(which, std::move(then)); });
      if (!page)
        return fail(page.error());
      for (const auto& each : page->events) {
        of.stored.insert(each.event.event_id);
        which.after = each.number;
      }
      more = page->more;
    }
    return {};
  }

  result<void> add(std::string_view line, session_part& of) {
    const auto event = parse_json(line);
    if (!event)
      return fail(event.error());
    if (!event->is_object())
      return fail(errc::invalid_document, "an event is not an object");
    const auto& members = event->get_object();
    if (text_of(members, "event_type") == "MAPSessionStarted")
      of.context_id = text_of(object_of(members, "payload"), "context_id");
    const auto event_id = text_of(members, "event_id");
    const bool is_stored = of.stored.contains(event_id);
    if (!std::exchange(of.is_known, true))
      if (auto same = check_same_run(members, of, is_stored); !same)
        return same;
    if (is_stored)
      return check_same(event_id, line);
    bytes_ += line.size();
    batch_.append(
      {std::string{event_id}, of.trace_id, of.context_id, std::string{line}});
    return batch_.events.size() < batch_events_max && bytes_ < batch_bytes_max
             ? result<void>{}
             : commit();
  }

  /// Of the first event of a session on the log.
  result<void> check_same_run(const json::object& event, const session_part& of,
                              bool is_stored) {
    auto same = of.stored.empty() || is_stored;
    const auto& payload = object_of(event, "payload");
    const auto key
      = session::parse_session_key(text_of(payload, "session_key"));
    if (same && key) {
      const auto dialog = value_of(state_key(
        state_area::dialogs, to_string(session::dialog_uuid(*key, 0))));
      if (!dialog)
        return fail(dialog.error());
      same = dialog->has_value();
    }
    if (same)
      return {};
    return fail({.code = errc::not_allowed,
                 .message = "another run of the session with this id is "
                            "stored; give each run ids of its own, or another "
                            "store",
                 .rule = "session_differs",
                 .value = shorten(text_of(event, "session_id"))});
  }

  result<void> check_same(std::string_view event_id, std::string_view line) {
    const auto stored
      = value_of(state_key(state_area::events_global, event_id));
    if (!stored)
      return fail(stored.error());
    if (*stored == line)
      return {};
    return fail({.code = errc::not_allowed,
                 .message = "the event is stored with other content, and "
                            "events never change",
                 .rule = "event_differs",
                 .value = shorten(event_id)});
  }

  result<std::optional<std::string>> value_of(std::string key) {
    return awaited<std::optional<std::string>>(
      [&](auto then) { into_.get(std::move(key), std::move(then)); });
  }

  result<void> commit() {
    bytes_ = 0;
    if (batch_.events.empty())
      return {};
    return awaited<void>([&](auto then) {
      into_.commit(std::exchange(batch_, {}), std::move(then));
    });
  }

  state_store& into_;
  std::map<uuid, session_part> sessions_;
  state_transaction batch_;
  std::size_t bytes_ = 0; ///< of the batch
  result<void> done_;
};

} // namespace

result<void> store_events(state_store& into, const std::filesystem::path& log) {
  event_batches batches{into};
  const auto read = visit_sessions(
    log, [&](const log_place&, std::string_view line) { batches.feed(line); });
  if (!read)
    return fail(read.error());
  return batches.finish();
}

} // namespace convene::host
