#include <convene/lab/load/trace.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/event_log/reader.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

/// One session of a log: a turn is an exchange, and so is a round of a
/// broadcast, with its slowest answer.
class logged_session {
public:
  explicit logged_session(protocol::timestamp_ms start)
    : start_{start}, free_since_{start} {}

  void feed(const json::object& event, protocol::timestamp_ms at,
            load_trace& of) {
    const auto type = text_of(event, "event_type");
    const auto& payload = object_of(event, "payload");
    if (type == "MAPTurnDispatched")
      ask(turn_key(payload), text_of(payload, "task"), at, of);
    else if (type == "MAPBroadcastSent")
      ask(std::string{text_of(payload, "broadcast_id")},
          text_of(object_of(payload, "message"), "task"), at, of);
    else if (type == "MAPTurnCompleted")
      answer(turn_key(payload), payload, at, of);
    else if (type == "MAPBroadcastReceived")
      answer(std::string{text_of(payload, "broadcast_ref")}, payload, at, of);
  }

  [[nodiscard]] protocol::timestamp_ms start() const noexcept {
    return start_;
  }

  trace_session finish(protocol::timestamp_ms log_began) && {
    return {.start = std::chrono::milliseconds{start_ - log_began},
            .exchanges = std::move(exchanges_)};
  }

private:
  static std::string turn_key(const json::object& payload) {
    return std::to_string(integer_of(payload, "turn_number").value_or(0));
  }

  void ask(std::string key, std::string_view task, protocol::timestamp_ms at,
           load_trace& of) {
    asked_[std::move(key)] = exchanges_.size();
    exchanges_.push_back(
      {.think_ms = bounded_ms(static_cast<double>(at - free_since_)),
       .prompt_bytes = cut_text(of, static_cast<double>(task.size()))});
    free_since_ = std::max(free_since_, at);
  }

  void answer(const std::string& key, const json::object& payload,
              protocol::timestamp_ms at, load_trace& of) {
    const auto found = asked_.find(key);
    if (found == asked_.end())
      return;
    auto& into = exchanges_[found->second];
    const auto took = integer_of(payload, "duration_ms").value_or(0);
    into.answer_ms = std::max(into.answer_ms,
                              bounded_ms(static_cast<double>(took)));
    const auto said = text_of(object_of(payload, "reply"), "content");
    into.answer_bytes
      = cut_text(of, static_cast<double>(into.answer_bytes)
                       + static_cast<double>(
                         std::max(said.size(),
                                  text_of(payload, "output_summary").size())));
    free_since_ = std::max(free_since_, at);
  }

  protocol::timestamp_ms start_;
  protocol::timestamp_ms free_since_;
  std::map<std::string, std::size_t> asked_;
  std::vector<trace_exchange> exchanges_;
};

} // namespace

result<void> add_logged(load_trace& to, const std::filesystem::path& log) {
  std::map<std::string, logged_session, std::less<>> sessions;
  std::optional<protocol::timestamp_ms> began;
  bool is_full = false;
  const auto read
    = visit_sessions(log, [&](const log_place&, std::string_view line) {
        const auto parsed = parse_json(line);
        if (!parsed || !parsed->is_object())
          return;
        const auto& event = parsed->get_object();
        const auto at = protocol::parse_timestamp(text_of(event, "timestamp"));
        if (!at)
          return;
        began = std::min(began.value_or(*at), *at);
        const auto id = text_of(event, "session_id");
        auto found = sessions.find(id);
        if (found == sessions.end()) {
          is_full = is_full || sessions.size() == trace_sessions_max;
          if (is_full)
            return;
          found = sessions.emplace(std::string{id}, logged_session{*at}).first;
        }
        found->second.feed(event, *at, to);
      });
  if (!read)
    return protocol::fail(read.error());
  if (is_full)
    return protocol::fail(errc::limit_reached,
                          "a trace has at most 100,000 sessions",
                          "trace_sessions_max");
  constexpr std::chrono::milliseconds latest
    = std::chrono::duration_cast<std::chrono::milliseconds>(trace_start_max);
  for (auto& [id, one] : sessions) {
    if (one.start() - *began > latest.count())
      return protocol::fail(errc::invalid_document,
                            "its sessions are more than 100 years apart",
                            "trace_invalid");
    if (auto added = add_session(to, std::move(one).finish(*began)); !added)
      return added;
  }
  return {};
}

} // namespace convene::host
