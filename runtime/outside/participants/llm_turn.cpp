#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/runtime/outside/models/answer_codec.hpp>
#include <convene/runtime/outside/participants/approval.hpp>
#include <convene/runtime/outside/participants/llm_call.hpp>
#include <convene/runtime/outside/participants/llm_outside.hpp>
#include <convene/runtime/outside/participants/llm_prompt.hpp>
#include <convene/runtime/outside/participants/llm_tools.hpp>
#include <convene/runtime/outside/participants/llm_turn.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace convene::host {

namespace json = protocol::json;
using protocol::action_status;

namespace {

/// Longer ones are only named by their hash: an action's arguments are bounded.
constexpr std::size_t logged_prompt_bytes_max = 48U << 20;

/// What OpenAI accepts; others have the same bound or none.
constexpr std::size_t tools_max = 128;

/// Tools cannot get around these: they are not for the model to see.
bool ends_turn(std::string_view code) {
  constexpr std::array codes{
    std::string_view{"outcome_unknown"},  std::string_view{"action_changed"},
    std::string_view{"blob_missing"},     std::string_view{"blob_corrupt"},
    std::string_view{"blob_unreadable"},  std::string_view{"blob_not_written"},
    std::string_view{"budget_exhausted"}, std::string_view{"actions_max"}};
  return std::ranges::find(codes, code) != codes.end();
}

/// Another model would not be called, either.
bool is_refused_by_session(std::string_view code) {
  return ends_turn(code) || code.starts_with("action") || code.empty()
         || code == "invalid_action" || code == "client_stopped";
}

/// The prompt as it is on the log.
json::object body_without_thoughts(model_provider whose, model_prompt prompt) {
  for (auto& each : prompt.messages)
    each.original.clear();
  return body_for(whose, prompt);
}

std::string position(std::int64_t round, std::size_t index) {
  return std::to_string(round) + '.' + std::to_string(index);
}

} // namespace

llm_turn::llm_turn(std::shared_ptr<const llm_settings> settings,
                   std::shared_ptr<const llm_surroundings> with,
                   actors::turn_request asked, turn_port port)
  : settings_(std::move(settings)), with_(std::move(with)),
    asked_(std::move(asked)), port_(std::move(port)) {
  // nop
}

void llm_turn::start() {
  if (std::ranges::all_of(settings_->tools, is_function))
    return offer({});
  if (!with_->tools)
    return fail("tools_unavailable",
                "the participant has tools, but the scenario has no "
                "mcp_servers");
  with_->tools->list(
    [self = shared_from_this()](protocol::result<std::vector<tool>> got) {
      if (!got)
        return self->fail("tools_unavailable", got.error().message);
      self->offer(*std::move(got));
    });
}

void llm_turn::offer(std::vector<tool> outside) {
  const auto is_wanted = [this](const tool& each) {
    return std::ranges::any_of(settings_->tools, [&](const auto& wanted) {
      return matches_tool(wanted, each.name);
    });
  };
  for (const auto& each : with_->functions)
    outside.push_back(tool_of(each));
  std::erase_if(outside, std::not_fn(is_wanted));
  // The same prompt after a crash, however the servers answer.
  std::ranges::sort(outside, {}, &tool::name);
  std::vector<model_tool> tools;
  if (settings_->reply == llm_reply::tools)
    tools = session_tools(asked_);
  for (auto& each : outside) {
    const auto name = model_tool_name(each.name, tools);
    tools.push_back({name, each.description, each.input_schema});
    outside_.emplace(name, std::move(each));
  }
  if (tools.size() > tools_max)
    return fail("tools_max",
                "the model would get " + std::to_string(tools.size())
                  + " tools, and providers accept at most "
                  + std::to_string(tools_max)
                  + "; name fewer of its servers' tools in `tools`");
  prompt_ = first_prompt(*settings_, asked_, std::move(tools));
  next_round();
}

void llm_turn::next_round() {
  if (round_ == settings_->rounds_max)
    return fail("tool_rounds_max",
                "the model still called tools after " + std::to_string(round_)
                  + " rounds; allow more by rounds_max, or say in `system` "
                    "when it is to stop");
  ++round_;
  call();
}

std::shared_ptr<const llm_settings> llm_turn::model() const {
  return which_ == 0 ? settings_
                     : std::shared_ptr<const llm_settings>{
                       settings_, &settings_->fallback[which_ - 1]};
}

model_access llm_turn::access() const {
  if (which_ == 0)
    return {with_->api_key, with_->headers, with_->secrets};
  return which_ <= with_->fallback.size() ? with_->fallback[which_ - 1]
                                          : model_access{};
}

void llm_turn::call() {
  const auto settings = model();
  address_prompt(prompt_, *settings);
  auto prompt = body_for(settings->provider, prompt_);
  const auto body
    = std::make_shared<const std::string>(json::serialize(prompt));
  auto digest = hex_digest_of(*body);
  thoughts_.reset();
  if (settings->thoughts == llm_thoughts::drop) {
    thoughts_ = std::make_shared<unrecorded_thoughts>();
    prompt = body_without_thoughts(settings->provider, prompt_);
    digest = hex_digest_of(json::serialize(prompt));
  }
  json::object arguments{{"provider", protocol::to_word(settings->provider)},
                         {"model", settings->model},
                         {"prompt_sha256", std::move(digest)}};
  if (with_->log_prompts && body->size() <= logged_prompt_bytes_max)
    arguments["prompt"] = std::move(prompt);
  status_ = std::make_shared<std::atomic<int>>(0);
  llm_call call{.settings = settings,
                .access = access(),
                .body = body,
                .status = status_,
                .thoughts = thoughts_};
  const auto attempts = with_->models
                          ? with_->models->attempts_at(settings->base_url,
                                                       settings->retries)
                          : settings->retries + 1;
  if (with_->on_text)
    call.on_text = [self = shared_from_this()](std::string_view text) {
      self->with_->on_text(self->asked_.session_id, self->asked_.participant,
                           text);
    };
  port_.act(
    {.position = position(round_, 0)
                 + (which_ == 0 ? "" : '.' + std::to_string(which_)),
     .kind = protocol::action_kind::model,
     .name = settings->model,
     .arguments = std::move(arguments),
     .repeatable = true,
     .timeout_ms = settings->timeout_ms},
    {.attempts = static_cast<std::uint32_t>(attempts)},
    [call = std::move(call), http = with_->http](const actors::attempt& which,
                                                 actors::when_acted then) {
      return call_model(http, call, which, std::move(then));
    },
    [self = shared_from_this()](protocol::action_result result) {
      self->hear(std::move(result));
    });
}

/// Goes on to the next model, if there is one for what went wrong; it answers
/// the rest of the turn. False: the turn has failed.
bool llm_turn::fall_back(const protocol::action_error& why) {
  if (is_refused_by_session(why.code) || settings_->fallback.empty())
    return false;
  failures_ += (failures_.empty() ? "" : "; ") + model()->model + ": "
               + why.code + ": " + why.message;
  if (which_ == settings_->fallback.size())
    return false;
  ++which_;
  // Thoughts and signatures are for the endpoint that they came from.
  for (auto& each : prompt_.messages) {
    each.original.clear();
    for (auto& one : each.calls)
      one.extra.clear();
  }
  call();
  return true;
}

void llm_turn::fail_call(const protocol::action_error& why) {
  const call_failure failure{why.code, *status_};
  if (with_->models)
    with_->models->note_failure(model()->base_url, failure);
  if (fall_back(why))
    return;
  const auto message = failures_.empty() ? why.message : failures_;
  fail(why.code, message);
  if (with_->models && port_.cancel_session && round_ == 1
      && with_->models->is_hopeless(asked_, failure))
    port_.cancel_session("no participant's model can be called: " + message);
}

void llm_turn::hear(protocol::action_result result) {
  if (result.status != action_status::completed)
    return fail_call(result.error);
  if (with_->models)
    with_->models->note_answer(model()->base_url);
  auto answer = decode_model_answer(result.output);
  if (!answer)
    return fail("answer_invalid", "the recorded answer of the model: "
                                    + protocol::to_string(answer.error()));
  if (thoughts_)
    answer->original = thoughts_->take();
  if (!answer->text.empty())
    text_ = answer->text;
  switch (answer->finish) {
    case finish_reason::length:
      return fail("model_length",
                  "the model's answer was cut at its longest; raise "
                  "max_tokens or context_tokens");
    case finish_reason::content_filter:
      return fail("model_content_filter",
                  "the provider withheld the model's answer");
    case finish_reason::refusal:
      return fail("model_refused",
                  answer->refusal.empty()
                    ? "the model refused to answer"
                    : "the model refused: " + cut_text(answer->refusal, 500));
    default:
      break;
  }
  if (answer->calls.empty())
    return conclude(*answer);
  call_tools(*std::move(answer));
}

bool llm_turn::is_offered(std::string_view name) const {
  return std::ranges::find(prompt_.tools, name, &model_tool::name)
         != prompt_.tools.end();
}

std::string llm_turn::unknown_tool(std::string_view name) const {
  if (prompt_.tools.empty())
    return "there are no tools";
  std::string names;
  for (const auto& each : prompt_.tools)
    names += (names.empty() ? "" : ", ") + each.name;
  return "there is no tool " + protocol::quote(name)
         + "; the tools that exist are: " + names;
}

void llm_turn::call_tools(model_answer answer) {
  const auto round = std::make_shared<call_round>();
  round->before = reply_;
  round->answer = std::move(answer);
  const auto& calls = round->answer.calls;
  for (const auto& each : calls)
    round->results.push_back({.by = speaker::tool, .call_id = each.id});
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto outside = outside_.find(calls[i].name);
    if (outside != outside_.end()) {
      round->acts = true;
      call_outside(round, i, outside->second);
      continue;
    }
    auto effect = is_offered(calls[i].name)
                    ? call_session_tool(calls[i], asked_, reply_)
                    : tool_effect{unknown_tool(calls[i].name), false};
    round->valid = round->valid && effect.valid;
    round->ends = round->ends || effect.ends;
    round->results[i].failed = !effect.valid;
    round->results[i].text = std::move(effect.text);
  }
  called(round);
}

void llm_turn::call_outside(const std::shared_ptr<call_round>& round,
                            std::size_t index, const tool& which) {
  auto& result = round->results[index];
  auto arguments = read_arguments(round->answer.calls[index]);
  if (!arguments) {
    round->valid = false;
    result.failed = true;
    result.text = std::move(arguments.error());
    return;
  }
  {
    const std::lock_guard lock{round->mutex};
    ++round->open;
  }
  auto then = [self = shared_from_this(), round, index,
               which](const protocol::action_result& got) {
    auto& into = round->results[index];
    const auto bytes_max
      = static_cast<std::size_t>(self->settings_->context_tokens);
    into.text = cut_text(outside_text(which, got), bytes_max);
    into.failed = is_outside_error(which, got);
    if (ends_turn(got.error.code)) {
      const std::lock_guard lock{round->mutex};
      round->fatal = got.error;
    }
    self->called(round);
  };
  protocol::action what{.position = position(round_, index + 1),
                        .kind = which.by ? protocol::action_kind::function
                                         : protocol::action_kind::mcp,
                        .name = which.name,
                        .arguments = *std::move(arguments),
                        .repeatable = which.read_only,
                        .timeout_ms = settings_->timeout_ms};
  if (!is_for_approval(settings_->approve, which.name))
    return carry_out(which, std::move(what), std::move(then));
  ask_approval(
    port_, with_->people, asked_, what,
    [self = shared_from_this(), which, what, then] {
      self->carry_out(which, what, then);
    },
    then);
}

/// Does what the model calls.
void llm_turn::carry_out(const tool& which, protocol::action what,
                         actors::when_acted then) {
  if (which.by)
    return port_.perform(*which.by, std::move(what.position),
                         std::move(what.arguments), std::move(then));
  const auto attempts = which.read_only ? settings_->retries + 1 : 1;
  auto attempt = [box = with_->tools, name = what.name,
                  object = what.arguments.as_object()](
                   const actors::attempt& number, actors::when_acted told) {
    return box->call(name, object, number, std::move(told));
  };
  port_.act(std::move(what), {.attempts = static_cast<std::uint32_t>(attempts)},
            std::move(attempt), std::move(then));
}

/// The last of an answer's calls, and the loop that began them, go on.
void llm_turn::called(const std::shared_ptr<call_round>& round) {
  {
    const std::lock_guard lock{round->mutex};
    if (--round->open > 0)
      return;
  }
  if (!round->fatal.code.empty())
    return fail(round->fatal.code, round->fatal.message);
  if (round->valid && round->ends && !round->acts) {
    if (reply_.content.empty())
      reply_.content = text_;
    return port_.answer(std::move(reply_));
  }
  if (!round->valid) {
    // All of an answer's own calls count, or none.
    reply_ = std::move(round->before);
    for (std::size_t i = 0; i < round->results.size(); ++i) {
      auto& each = round->results[i];
      if (each.failed || outside_.contains(round->answer.calls[i].name))
        continue;
      each.failed = true;
      each.text = "not done, because another call of your answer was wrong; "
                  "repeat it";
    }
  }
  prompt_.messages.push_back({.by = speaker::model,
                              .text = round->answer.text,
                              .calls = round->answer.calls,
                              .original = round->answer.original});
  std::string wrong;
  for (auto& each : round->results) {
    if (each.failed && wrong.empty())
      wrong = each.text;
    prompt_.messages.push_back(std::move(each));
  }
  if (!round->valid && ++repairs_ > settings_->repairs)
    return fail("model_reply_invalid",
                "the model called its tools in a wrong way: " + wrong);
  next_round();
}

void llm_turn::conclude(const model_answer& answer) {
  using session::request_kind;
  if (settings_->reply == llm_reply::json) {
    auto reply = read_json_reply(answer.text, asked_);
    if (!reply)
      return repair(answer, protocol::to_string(reply.error()));
    return port_.answer(*std::move(reply));
  }
  const bool is_turn = asked_.kind == request_kind::turn
                       || asked_.kind == request_kind::broadcast;
  if (!is_turn)
    return repair(answer, "call one of the tools to say what you decide");
  const bool did_something = !reply_.writes.empty() || !reply_.claim.empty()
                             || !reply_.tasks.empty() || reply_.end;
  if (text_.empty() && !did_something)
    return repair(answer, "you said nothing and did nothing");
  reply_.content = text_;
  port_.answer(std::move(reply_));
}

void llm_turn::repair(const model_answer& answer, const std::string& why) {
  if (++repairs_ > settings_->repairs)
    return fail("model_reply_invalid", "the model's reply is wrong: " + why);
  model_message said{.by = speaker::model,
                     .text = text_.empty() ? "(nothing)" : text_};
  // After calls, providers expect the thoughts of all answers; without any,
  // some refuse them.
  if (std::ranges::any_of(prompt_.messages,
                          [](const auto& each) { return !each.calls.empty(); }))
    said.original = answer.original;
  prompt_.messages.push_back(std::move(said));
  prompt_.messages.push_back(
    {.text = "Your reply cannot be used: " + why + ". Answer again."});
  next_round();
}

void llm_turn::fail(std::string code, std::string message) {
  protocol::reply failed{.status = protocol::reply_status::failed,
                         .content = text_};
  failed.error = {std::move(code), std::move(message)};
  port_.answer(std::move(failed));
}

} // namespace convene::host
