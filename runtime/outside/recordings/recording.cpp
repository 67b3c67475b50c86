#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/outside/recordings/recording.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {

using protocol::errc;
using protocol::fail;
using protocol::object_of;
using protocol::result;
using protocol::text_of;
namespace json = boost::json;

namespace {

using participant_ids = std::set<std::string, std::less<>>;

/// Builds recordings event by event.
class recording_reader {
public:
  recording_reader(std::string_view session, const participant_ids& wanted,
                   std::size_t bytes_max)
    : session_(session), any_session_(session.empty()), wanted_(wanted),
      bytes_max_(bytes_max) {}

  void feed(const log_place& place, std::string_view line) {
    if (fault_)
      return;
    const auto event = protocol::parse_json(line);
    const auto* object = event ? event->if_object() : nullptr;
    if (object == nullptr)
      return refuse(place, "log_damaged", "this line is not an event");
    const auto session = text_of(*object, "session_id");
    if (session.empty())
      return;
    if (any_session_ && session_.empty())
      session_ = session;
    if (session != session_) {
      if (any_session_)
        refuse(place, "recording_session",
               "the log has several sessions: name one by its id, as "
               "\"session\" beside \"log\"");
      return;
    }
    is_there_ = true;
    take(place, *object, line.size());
  }

  result<recordings> finish(const std::filesystem::path& log) {
    if (!fault_ && !is_there_)
      fault_ = {.code = errc::invalid_document,
                .message = any_session_ ? "the log has no session"
                                        : "the log has no session of the id "
                                            + protocol::quote(session_),
                .file = log.string(),
                .rule = "recording_session"};
    if (fault_)
      return fail(*std::move(fault_));
    recordings made;
    for (auto& [id, each] : all_)
      made.emplace(id, std::make_shared<const recording>(std::move(each)));
    return made;
  }

private:
  void refuse(const log_place& place, std::string rule, std::string why) {
    fault_ = {.code = errc::invalid_document,
              .message = std::move(why),
              .file = place.file,
              .rule = std::move(rule),
              .line = place.number};
  }

  void take(const log_place& place, const json::object& event,
            std::size_t bytes) {
    const auto type = text_of(event, "event_type");
    if (type == "MAPSessionStarted") {
      has_begun_ = true;
      return;
    }
    if (!has_begun_)
      return refuse(place, "recording_incomplete",
                    "the log no longer has the beginning of this session, so "
                    "it is unknown which answer was the first");
    const auto& payload = object_of(event, "payload");
    if (type == "MAPTurnCompleted")
      add(place, payload, text_of(payload, "participant_id"), &recording::turns,
          bytes);
    else if (type == "MAPBroadcastReceived")
      add(place, payload, text_of(payload, "receiver_participant"),
          &recording::turns, bytes);
    else if (type == "MAPConflictDetected")
      add_questions(place, payload);
    else if (type == "session_input")
      add_input(place, payload, bytes);
  }

  void add_input(const log_place& place, const json::object& payload,
                 std::size_t bytes) {
    const auto input = text_of(payload, "input");
    const auto who = text_of(payload, "participant_id");
    if (input == "decision" || input == "decision_timed_out")
      add(place, payload, who, &recording::decisions, bytes);
    else if (input == "vote" || input == "escalation")
      answer_question(place, payload, who, bytes);
  }

  /// Null: nobody wants to know.
  recording* of(std::string_view id) {
    const auto found = all_.find(id);
    if (found != all_.end())
      return &found->second;
    return wanted_.contains(id) ? &all_[std::string{id}] : nullptr;
  }

  bool has_room(const log_place& place, std::size_t bytes) {
    bytes_ += sizeof(recorded_answer) + bytes;
    if (bytes_ <= bytes_max_)
      return true;
    refuse(place, "recording_bytes_max",
           "the answers to give again have more than "
             + std::to_string(bytes_max_)
             + " bytes, which is as much as is kept of a log");
    return false;
  }

  std::optional<recorded_answer> read_answer(const log_place& place,
                                             const json::object& payload,
                                             std::size_t bytes) {
    const auto* reply = payload.if_contains("reply");
    if (!has_room(place, reply == nullptr ? 0 : bytes))
      return std::nullopt;
    recorded_answer made;
    if (reply == nullptr) {
      made.silent = text_of(payload, "status") == "timed_out"
                    || text_of(payload, "input") == "decision_timed_out";
      return made;
    }
    auto decoded = protocol::decode_reply(*reply, "/payload/reply");
    if (!decoded) {
      refuse(place, "recording_reply",
             decoded.error().pointer + ": " + decoded.error().message);
      return std::nullopt;
    }
    made.reply = *std::move(decoded);
    made.delay_ms = std::max<std::int64_t>(
      0, protocol::integer_of(payload, "duration_ms").value_or(0));
    return made;
  }

  void add(const log_place& place, const json::object& payload,
           std::string_view id, std::vector<recorded_answer> recording::*list,
           std::size_t bytes) {
    auto* const to = of(id);
    if (to == nullptr)
      return;
    if (auto made = read_answer(place, payload, bytes))
      (to->*list).push_back(*std::move(made));
  }

  /// A conflict names all whom it asks; some never answer.
  void add_questions(const log_place& place, const json::object& payload) {
    const auto conflict = text_of(payload, "conflict_id");
    for (const auto id :
         protocol::texts_of(object_of(payload, "details"), "asked"))
      if (auto* const to = of(id)) {
        if (!has_room(place, 0))
          return;
        open_[std::string{id}].push_back(
          {std::string{conflict}, to->votes.size()});
        to->votes.push_back({.silent = true});
      }
  }

  void answer_question(const log_place& place, const json::object& payload,
                       std::string_view id, std::size_t bytes) {
    auto* const to = of(id);
    if (to == nullptr)
      return;
    auto made = read_answer(place, payload, bytes);
    if (!made)
      return;
    auto& open = open_[std::string{id}];
    // A participant that declines does not say which question.
    auto at = made->reply && made->reply->vote
                ? std::ranges::find(open, made->reply->vote->conflict_id,
                                    &question::conflict)
                : open.begin();
    if (at == open.end()) {
      to->votes.push_back(*std::move(made));
      return;
    }
    to->votes[at->index] = *std::move(made);
    open.erase(at);
  }

  /// One that has not been answered so far.
  struct question {
    std::string conflict;
    std::size_t index = 0; ///< into votes
  };

  std::string session_;
  bool any_session_;
  const participant_ids& wanted_;
  std::size_t bytes_max_;
  std::map<std::string, recording, std::less<>> all_;
  std::map<std::string, std::vector<question>, std::less<>> open_;
  std::size_t bytes_ = 0;
  bool is_there_ = false;
  bool has_begun_ = false;
  std::optional<protocol::error> fault_;
};

} // namespace

result<recordings>
read_recordings(const std::filesystem::path& log, std::string_view session_id,
                const participant_ids& participants, std::size_t bytes_max) {
  recording_reader reader{session_id, participants, bytes_max};
  const auto read
    = visit_log(log, [&](const log_place& place, std::string_view line) {
        reader.feed(place, line);
      });
  if (!read)
    return fail(read.error());
  return reader.finish(log);
}

} // namespace convene::host
