#include <boost/json/array.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/documents/a2a_part.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>
#include <convene/runtime/outside/participants/a2a_message.hpp>
#include <convene/runtime/outside/participants/a2a_wire.hpp>
#include <convene/runtime/outside/participants/llm_prompt.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace convene::host {
namespace {

namespace json = protocol::json;

using protocol::object_of;
using protocol::text_of;

/// Dialog and workspace in the text of a message; the data part has all.
constexpr std::size_t message_text_max = 64U << 10;
/// What an agent says of why it failed.
constexpr std::size_t reason_bytes_max = 4U << 10;

struct state_word {
  std::string_view word;
  a2a_state state;
};
constexpr std::array state_words{
  state_word{"TASK_STATE_SUBMITTED", a2a_state::open},
  state_word{"TASK_STATE_WORKING", a2a_state::open},
  state_word{"TASK_STATE_COMPLETED", a2a_state::completed},
  state_word{"TASK_STATE_FAILED", a2a_state::failed},
  state_word{"TASK_STATE_REJECTED", a2a_state::rejected},
  state_word{"TASK_STATE_CANCELED", a2a_state::cancelled},
  state_word{"TASK_STATE_INPUT_REQUIRED", a2a_state::input_required},
  state_word{"TASK_STATE_AUTH_REQUIRED", a2a_state::auth_required}};

struct state_failure {
  a2a_state state;
  std::string_view code;
  std::string_view words;
};
constexpr std::array state_failures{
  state_failure{a2a_state::failed, "agent_failed", "the agent's task failed"},
  state_failure{a2a_state::rejected, "agent_rejected",
                "the agent rejects the task"},
  state_failure{a2a_state::cancelled, "agent_cancelled",
                "the agent's task was cancelled"},
  state_failure{a2a_state::input_required, "agent_input_required",
                "the agent asks for more, which a turn cannot give"},
  state_failure{a2a_state::auth_required, "agent_auth_required",
                "the agent asks for authentication"}};

tl::unexpected<protocol::action_error> refuse_answer(std::string why) {
  return tl::unexpected{protocol::action_error{.code = "agent_answer_invalid",
                                               .message = std::move(why)}};
}

tl::unexpected<protocol::action_error> misread(const std::string& why) {
  return refuse_answer("the agent's answer " + why);
}

protocol::reply failed_turn(std::string_view code, std::string message) {
  return {.status = protocol::reply_status::failed,
          .error = {std::string{code}, std::move(message)}};
}

/// The parts of a message or artifact, in order; what is none is left out.
template <class F>
void each_part(const json::object& of, F f) {
  for (const auto& each : protocol::items_of(of, "parts"))
    if (const auto part = protocol::read_a2a_part(each, {}))
      f(*part);
}

/// Calls `f` with each message and artifact that says what an answer replies,
/// and with its place: a message; or a task's artifacts, and its status's
/// message.
template <class F>
void each_speaker(const a2a_answer& in, F f) {
  if (in.state == a2a_state::message)
    return f(*in.inside, "/message");
  const auto& artifacts = protocol::items_of(*in.inside, "artifacts");
  for (std::size_t i = 0; i < artifacts.size(); ++i)
    if (const auto* artifact = artifacts[i].if_object())
      f(*artifact, "/task/artifacts/" + std::to_string(i));
  f(object_of(object_of(*in.inside, "status"), "message"),
    "/task/status/message");
}

/// Why the reply cannot be read whole; empty: it can.
std::string fault_in_parts(const a2a_answer& in) {
  std::string fault;
  each_speaker(in, [&](const json::object& of, const std::string& place) {
    const auto& parts = protocol::items_of(of, "parts");
    for (std::size_t i = 0; fault.empty() && i < parts.size(); ++i) {
      const auto got = protocol::read_a2a_part(parts[i], place + "/parts/"
                                                           + std::to_string(i));
      if (!got)
        fault = got.error().pointer + " of the agent's answer "
                + got.error().message;
    }
  });
  return fault;
}

void add_line(std::string& to, std::string_view text) {
  if (!to.empty() && !text.empty())
    to += '\n';
  to += text;
}

std::string text_in(const json::object& of) {
  std::string all;
  each_part(of,
            [&](const protocol::a2a_part& part) { add_line(all, part.text); });
  return all;
}

/// A completed task says its result in artifacts; its last message counts if
/// they say nothing.
std::string content_of(const a2a_answer& what) {
  if (what.state == a2a_state::message)
    return text_in(*what.inside);
  std::string all;
  for (const auto& each : protocol::items_of(*what.inside, "artifacts"))
    if (const auto* artifact = each.if_object())
      add_line(all, text_in(*artifact));
  return all.empty()
           ? text_in(object_of(object_of(*what.inside, "status"), "message"))
           : all;
}

protocol::reply reply_in(const a2a_answer& what) {
  const json::value* own = nullptr;
  const json::object* data = nullptr;
  std::size_t replies = 0;
  each_speaker(what, [&](const json::object& of, const std::string&) {
    each_part(of, [&](const protocol::a2a_part& part) {
      if (part.data == nullptr)
        return;
      if (part.media_type == a2a_reply_type) {
        own = part.data;
        ++replies;
      } else if (data == nullptr) {
        data = part.data->if_object();
      }
    });
  });
  if (replies > 1)
    return failed_turn("agent_reply_invalid",
                       "the agent's answer has " + std::to_string(replies)
                         + " parts that are replies; a turn has one");
  auto content = content_of(what);
  if (own == nullptr) {
    protocol::reply made{.content = std::move(content)};
    if (data != nullptr)
      made.result = *data;
    return made;
  }
  auto made = protocol::decode_reply(*own);
  if (!made)
    return failed_turn("agent_reply_invalid",
                       "the agent's reply: "
                         + protocol::to_string(made.error()));
  if (made->content.empty())
    made->content = std::move(content);
  return *std::move(made);
}

} // namespace

json::object message_for(const a2a_settings& settings,
                         const actors::turn_request& asked) {
  auto data = to_json(asked, settings.workspace);
  data.erase("token");
  data.erase("deadline");
  auto text = introduction(asked)
              + "\n\nWhat you write is what you say to the others.\n\n"
              + request_text(asked, settings.workspace, message_text_max);
  json::object message{
    {"messageId", ""},
    {"role", "ROLE_USER"},
    {"parts", json::array{
                json::object{{"text", protocol::sanitize_utf8(std::move(text))},
                             {"mediaType", "text/plain"}},
                json::object{{"data", std::move(data)},
                             {"mediaType", a2a_request_type}}}}};
  if (settings.context == a2a_context::session)
    message.emplace("contextId", protocol::to_string(protocol::hashed_uuid(
                                   "a2a context\n" + asked.session_id + '\n'
                                   + asked.participant)));
  return {
    {"message", std::move(message)},
    {"configuration",
     {{"acceptedOutputModes", json::array{"text/plain", "text/markdown",
                                          "application/json", a2a_reply_type}},
      {"historyLength", 0},
      {"returnImmediately", true}}}};
}

json::object with_message_id(json::object to, std::string_view key) {
  to.at("message").at("messageId")
    = protocol::to_string(protocol::hashed_uuid(key));
  return to;
}

tl::expected<a2a_answer, protocol::action_error>
read_a2a_answer(const json::object& from) {
  const auto* task = from.if_contains("task");
  const auto* message = from.if_contains("message");
  if ((task != nullptr) == (message != nullptr))
    return misread("is neither a message nor a task");
  const auto* found = task != nullptr ? task : message;
  const auto* inside = found->if_object();
  if (inside == nullptr)
    return misread("has no object where its message or task should be");
  if (message != nullptr) {
    if (protocol::items_of(*inside, "parts").empty())
      return misread("is a message without parts");
    const a2a_answer made{.inside = inside};
    if (auto fault = fault_in_parts(made); !fault.empty())
      return refuse_answer(std::move(fault));
    return made;
  }
  const auto id = text_of(*inside, "id");
  if (!is_task_id(id))
    return misread("is a task without a usable id: " + protocol::quote(id));
  const auto word = text_of(object_of(*inside, "status"), "state");
  const auto known = std::ranges::find(state_words, word, &state_word::word);
  if (known == state_words.end())
    return misread("is a task in an unknown state: " + protocol::quote(word));
  const a2a_answer made{.state = known->state, .task_id = id, .inside = inside};
  // How another task ended is known whatever its parts are.
  if (made.state == a2a_state::completed)
    if (auto fault = fault_in_parts(made); !fault.empty())
      return refuse_answer(std::move(fault));
  return made;
}

protocol::reply reply_of(const a2a_answer& what) {
  const auto failure = std::ranges::find(state_failures, what.state,
                                         &state_failure::state);
  if (failure == state_failures.end())
    return reply_in(what);
  const auto said
    = text_in(object_of(object_of(*what.inside, "status"), "message"));
  return failed_turn(
    failure->code,
    std::string{failure->words}
      + (said.empty() ? "" : ": " + cut_text(said, reason_bytes_max)));
}

} // namespace convene::host
