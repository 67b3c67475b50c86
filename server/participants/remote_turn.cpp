#include <boost/json/serialize.hpp>
#include <convene/protocol/documents/action_codec.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/participants/late_behaviour.hpp>
#include <convene/server/participants/remote_turn.hpp>
#include <convene/server/participants/turn_message.hpp>
#include <convene/session/spec/normalise_action.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace convene::server {
namespace {

namespace json = protocol::json;

using protocol::result;

constexpr std::int64_t connect_time_ms = 3'000;
constexpr std::int64_t call_time_ms = 30'000;
/// Several times as long as a node takes to show that it lives.
constexpr std::chrono::seconds silence{6};
/// Longer than the turn, which the session ends.
constexpr std::int64_t more_time_ms = 5'000;
constexpr std::int64_t turn_time_ms_max
  = std::chrono::milliseconds{std::chrono::days{20}}.count();
/// With proofs and signs of life.
constexpr std::size_t answer_bytes_max = 2 * turn_bytes_max;
constexpr int turn_begun = 409;

tl::unexpected<protocol::error> wrong(std::string message) {
  return protocol::fail(protocol::errc::invalid_document, std::move(message),
                        "node_message");
}

std::int64_t left_ms(const actors::turn_request& asked) {
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
                     std::chrono::system_clock::now().time_since_epoch())
                     .count();
  return std::clamp<std::int64_t>(asked.deadline - now, 1,
                                  turn_time_ms_max - more_time_ms);
}

/// The attempt in a message; 0: none.
std::uint32_t attempt_in(const json::object& what) {
  const auto found = protocol::integer_of(what, "attempt").value_or(0);
  return found > 0 && found <= INT32_MAX ? static_cast<std::uint32_t>(found)
                                         : 0;
}

bool is_before_connection(const std::string& code) {
  return code == "connect_failed" || code == "host_unknown"
         || code == "tls_failed" || code == "http_calls_max";
}

} // namespace

host::http_request call_of(const other_nodes::reached_node& node,
                           std::string method, const std::string& path,
                           std::string body) {
  return {.method = std::move(method),
          .url = "https://" + node.name + path,
          .headers = {{"content-type", "application/json"}},
          .body = std::move(body),
          .timeout_ms = call_time_ms,
          .connect_timeout_ms = connect_time_ms,
          .connect_to = node.address};
}

remote_turn::remote_turn(std::shared_ptr<other_nodes> by,
                         actors::turn_request asked)
  : by_{std::move(by)}, asked_{std::move(asked)} {}

void remote_turn::fail(std::string code, std::string message) {
  asked_.live->answer(host::failed_reply(std::move(code), std::move(message)));
}

void remote_turn::begin_at(const remote_place& where,
                           std::function<void(std::string)> not_begun,
                           std::function<void()> lost) {
  where_ = where;
  const auto left = left_ms(asked_);
  auto body = json::serialize(encode_turn(asked_, left));
  if (body.size() > line_bytes_max)
    return fail("turn_bytes_max", "the request of the turn has "
                                    + std::to_string(body.size())
                                    + " bytes, and another node takes "
                                    + std::to_string(line_bytes_max));
  asked_.live->actions().relay_to(
    [weak = weak_from_this()](const std::string& position,
                              std::string_view refused_code) {
      if (const auto self = weak.lock())
        self->notice(position, refused_code);
    });
  auto what = call_of(where.node, "POST",
                      "/v1/participants/" + where.participant + "/turns",
                      std::move(body));
  what.timeout_ms = left + more_time_ms;
  what.silence = silence;
  what.body_bytes_max = answer_bytes_max;
  what.on_data = [self = shared_from_this()](std::string_view data) {
    return self->hear(data);
  };
  auto cancel = by_->client().start(
    std::move(what),
    [self = shared_from_this(), not_begun = std::move(not_begun),
     lost = std::move(lost)](const host::http_answer& how) {
      self->ended(how, not_begun, lost);
    });
  bool is_cancelled = false;
  {
    const std::lock_guard lock{mutex_};
    is_cancelled = is_cancelled_;
    cancel_ = cancel;
  }
  if (is_cancelled)
    return cancel();
  asked_.live->when_over([weak = weak_from_this()] {
    if (const auto self = weak.lock())
      self->cancel();
  });
}

void remote_turn::cancel() {
  host::http_client::cancel_function cancel;
  {
    const std::lock_guard lock{mutex_};
    is_cancelled_ = true;
    cancel = cancel_;
  }
  if (cancel)
    cancel();
}

bool remote_turn::hear(std::string_view data) {
  const auto searched = held_.size(); // a long line may come in small parts
  held_ += data;
  for (auto end = held_.find('\n', searched);
       end != held_.npos && !is_answered_; end = held_.find('\n')) {
    const auto line = held_.substr(0, end);
    held_.erase(0, end + 1);
    if (line.find_first_not_of(' ') == line.npos)
      continue;
    auto taken = take(line);
    if (taken)
      continue;
    is_wrong_ = true;
    by_->note_refused();
    spdlog::warn("session {}: node {} has sent a message that is refused: {}",
                 asked_.session_id, where_.node.name, to_string(taken.error()));
    fail(taken.error().rule,
         "node \"" + where_.node.name + "\": " + to_string(taken.error()));
    return false;
  }
  if (held_.size() > line_bytes_max + key_digits + 1) {
    is_wrong_ = true;
    by_->note_refused();
    fail("turn_bytes_max", "node \"" + where_.node.name
                             + "\" has sent a message that is too long");
    return false;
  }
  // The rest of it is its end: a call that is cut would cost its connection.
  return !is_answered_ || held_.empty();
}

result<void> remote_turn::take(std::string_view line) {
  const auto text = open_line(line, where_.key, asked_.token, lines_++);
  if (!text)
    return protocol::fail(text.error());
  const auto said = protocol::parse_json(*text);
  if (!said)
    return protocol::fail(said.error());
  if (!said->is_object())
    return wrong("a message of a turn is an object");
  return follow(said->get_object());
}

result<void> remote_turn::follow(const json::object& what) {
  const auto& live = asked_.live;
  if (what.contains("begin"))
    return begin_action(what);
  if (what.contains("end"))
    return end_action(what);
  if (what.contains("cancel_session")) {
    live->cancel_session(
      std::string{protocol::text_of(what, "cancel_session")});
    return {};
  }
  const bool is_answer = what.contains("answer");
  const auto* const said = what.if_contains(is_answer ? "answer" : "write");
  if (said == nullptr)
    return wrong("a message of a turn has an unknown meaning");
  auto reply = protocol::decode_reply(*said);
  if (!reply)
    return protocol::fail(std::move(reply).error());
  if (is_answer) {
    is_answered_ = true;
    by_->note_answered();
    live->answer(*std::move(reply));
    return {};
  }
  for (auto& each : reply->writes)
    live->write(std::move(each));
  for (auto& each : reply->claim)
    live->claim(std::move(each));
  return {};
}

result<void> remote_turn::begin_action(const json::object& what) {
  auto action = protocol::decode_action(what.at("begin"));
  const auto attempt = attempt_in(what);
  if (!action)
    return protocol::fail(std::move(action).error());
  if (attempt == 0)
    return wrong("an attempt has no number");
  const auto position = action->position;
  if (const auto code = session::normalise(*action); !code.empty())
    notice(position, code);
  else if (asked_.live->link().begin(*std::move(action), attempt))
    notice(position, {});
  return {};
}

result<void> remote_turn::end_action(const json::object& what) {
  auto result = protocol::decode_action_result(what.at("end"));
  const auto attempt = attempt_in(what);
  if (!result)
    return protocol::fail(std::move(result).error());
  if (attempt == 0)
    return wrong("an attempt has no number");
  session::normalise(*result);
  asked_.live->link().end(std::string{protocol::text_of(what, "position")},
                          attempt, *std::move(result));
  return {};
}

void remote_turn::notice(const std::string& position,
                         std::string_view refused_code) {
  json::object what{{"position", position}};
  if (!refused_code.empty())
    what.emplace("refused", refused_code);
  std::uint64_t n = 0;
  {
    const std::lock_guard lock{mutex_};
    n = notices_++;
  }
  const json::object body{{"token", asked_.token},
                          {"n", n},
                          {"line",
                           sign_line(where_.key, notice_label(asked_.token), n,
                                     json::serialize(what))}};
  by_->client().start(
    call_of(where_.node, "POST",
            "/v1/participants/" + where_.participant + "/notices",
            json::serialize(body)),
    [self = shared_from_this()](const host::http_answer& how) {
      // One that does not come leaves the action, and so the turn, without end.
      if (how.is_ok() || how.status == turn_begun)
        return;
      self->by_->note_lost();
      self->fail("node_lost",
                 "node \"" + self->where_.node.name
                   + "\" did not hear of an action: " + how.error.message);
      self->cancel();
    });
}

void remote_turn::ended(const host::http_answer& how,
                        const std::function<void(std::string)>& not_begun,
                        const std::function<void()>& lost) {
  if (is_wrong_)
    return lost();
  if (is_answered_ || asked_.live->is_over())
    return;
  const bool is_refused = how.status >= 400 && how.status != turn_begun;
  if (lines_ == 0 && (is_refused || is_before_connection(how.error.code)))
    return not_begun(how.error.message);
  by_->note_lost();
  const auto reason = how.is_ok() ? "it ended the turn without an answer"
                                  : how.error.message;
  spdlog::warn("session {}: a turn on node {} is lost: {}", asked_.session_id,
               where_.node.name, reason);
  fail("node_lost",
       "the turn on node \"" + where_.node.name + "\" is lost: " + reason);
  lost();
}

} // namespace convene::server
