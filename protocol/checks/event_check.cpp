#include <convene/protocol/checks/event_check.hpp>
#include <convene/protocol/checks/event_shape.hpp>
#include <convene/protocol/checks/indexed_members.hpp>
#include <convene/protocol/checks/session_check.hpp>

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace convene::protocol {

struct event_checker::log_state {
  struct session {
    uuid id;
    std::unique_ptr<session_check> rules; // none once the session has ended
    std::size_t last_line = 0;
  };

  check_options options;
  std::vector<finding> kept;
  std::size_t total = 0;
  std::size_t undigested = 0; // sessions
  uuid_set events;
  uuid_set tokens;
  std::unordered_map<uuid, std::size_t, uuid_hash> index; // into sessions
  std::vector<session> sessions; // in the order of their first events
  std::string last_text;         // a session's id as an event had it,
  std::optional<uuid> last_id;   // and what it is; at first empty, and none

  void report(finding what) {
    ++total;
    if (kept.size() < options.findings_max)
      kept.push_back(std::move(what));
  }

  /// The session that an event names, most often that of the one before.
  std::optional<uuid> id_in(const indexed_members& event) {
    const auto text = text_of(event, "session_id");
    if (text == last_text)
      return last_id;
    auto id = uuid_of(event, "session_id");
    if (id) {
      last_text = text;
      last_id = *id;
    }
    return id;
  }

  session& session_of(const uuid& id) {
    const auto [at, is_new] = index.try_emplace(id, sessions.size());
    if (is_new)
      sessions.push_back({id, std::make_unique<session_check>(tokens)});
    return sessions[at->second];
  }
};

event_checker::event_checker(check_options options)
  : state_{std::make_unique<log_state>()} {
  state_->options = options;
}

event_checker::event_checker(event_checker&&) noexcept = default;
event_checker& event_checker::operator=(event_checker&&) noexcept = default;
event_checker::~event_checker() = default;

void event_checker::feed(std::size_t line, const json::value& event) {
  static const json::object none;
  const indexed_members members{event.is_object() ? event.get_object() : none};
  const auto id = state_->id_in(members);
  const auto note = [&](std::string_view rule, std::string message) {
    state_->report({.rule = std::string{rule},
                    .session_id = id ? to_string(*id) : std::string{},
                    .line = line,
                    .message = std::move(message)});
  };
  const report_finding report = std::ref(note);
  if (auto wrong = check_shape(event))
    report("event_shape", *std::move(wrong));
  const auto* own_id = members.if_contains("event_id");
  if (own_id != nullptr && own_id->is_string()) {
    const auto text = text_of(members, "event_id");
    const auto event_id = uuid_of(members, "event_id");
    if (!event_id)
      report("event_id_is_uuid_v4",
             "event_id " + quote(text) + " is not a lower-case v4 UUID");
    else if (!state_->events.insert(*event_id).second)
      report("event_id_unique", "event_id " + quote(text) + " was used before");
  }
  const auto type = text_of(members, "event_type");
  if (!id || type.empty())
    return;
  auto& session = state_->session_of(*id);
  session.last_line = line;
  if (session.rules) {
    const bool lacked = session.rules->lacks_digests();
    session.rules->feed(type, members, report);
    if (session.rules->lacks_digests() && !lacked)
      ++state_->undigested;
    if (session.rules->has_ended())
      session.rules.reset();
  } else if (is_same(type, "MAPSessionCompleted")) {
    report("ends_once", "the session had ended before");
  } else {
    report("nothing_after_end", quote(type) + " follows MAPSessionCompleted");
  }
}

void event_checker::feed_invalid(std::size_t line, std::string_view why) {
  state_->report({.rule = "json",
                  .session_id = {},
                  .line = line,
                  .message = "the line is not JSON: " + std::string{why}});
}

std::vector<finding> event_checker::finish() {
  if (!state_->options.allow_unfinished)
    for (const auto& session : state_->sessions)
      if (session.rules)
        state_->report({.rule = "session_unfinished",
                        .session_id = to_string(session.id),
                        .line = session.last_line,
                        .message = "the log ends without the session's "
                                   "MAPSessionCompleted"});
  return std::move(state_->kept);
}

std::size_t event_checker::findings_total() const noexcept {
  return state_->total;
}

std::size_t event_checker::sessions_undigested() const noexcept {
  return state_->undigested;
}

std::size_t event_checker::sessions_total() const noexcept {
  return state_->sessions.size();
}

} // namespace convene::protocol
