#include <boost/json/serialize.hpp>
#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/checks/outcome_check.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/documents/tool_text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/same_value.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace convene::protocol {
namespace {

constexpr std::string_view action_rule = "actions_match_behaviour";
constexpr std::string_view usage_rule = "usage_matches_output";
constexpr std::string_view reply_rule = "replies_match_actions";

/// Of a participant's model.
constexpr std::size_t fallbacks_max = 8;

/// Rounds of a conversation with a model that are looked at.
constexpr int model_rounds_max = 10'000;

const json::value* member_of(const json::object& from, std::string_view name) {
  return from.if_contains(name);
}

bool is_blob(const json::object& what) {
  return what.size() == 2 && what.contains("blob") && what.contains("bytes");
}

std::string outcome_name(const checked_event& e) {
  return "the action at " + quote(text_of(e.payload, "position"));
}

const json::object& behaviour_of(const checked_event& e, std::string_view who) {
  static const json::object none;
  const auto* own = member_of(e.session.behaviours, who);
  if (own == nullptr)
    own = member_of(e.session.behaviours, "*");
  return own != nullptr && own->is_object() ? own->get_object() : none;
}

/// The only action of those that make one for each request; empty: others.
std::string_view only_position(std::string_view type) {
  return type == "process" || type == "mcp" ? "0" : type == "http" ? "1.0" : "";
}

bool has_flag(const json::object& from, std::string_view name, bool otherwise) {
  const auto* found = member_of(from, name);
  return found != nullptr && found->is_bool() ? found->get_bool() : otherwise;
}

bool has_placeholder(const json::value& what) {
  if (const auto* text = what.if_string())
    return std::string_view{*text}.find("${") != std::string_view::npos;
  if (const auto* list = what.if_array())
    return std::ranges::any_of(*list, has_placeholder);
  const auto* object = what.if_object();
  return object != nullptr
         && std::ranges::any_of(*object, [](const auto& each) {
              return has_placeholder(each.value());
            });
}

/// What a process does, by its settings.
std::string process_fault(const checked_event& e,
                          const json::object& behaviour) {
  const auto& command = array_of(behaviour, "command");
  const auto& arguments = object_of(e.payload, "arguments");
  if (command.empty() || !command.front().is_string()
      || text_of(e.payload, "name")
           != std::string_view{command.front().get_string()})
    return "is of another program than the behaviour's";
  if (!is_blob(arguments) && array_of(arguments, "command") != command)
    return "has another command than the behaviour's";
  return {};
}

std::string tool_fault(const checked_event& e, const json::object& behaviour) {
  const auto name = std::string{text_of(behaviour, "server")} + '/'
                    + std::string{text_of(behaviour, "tool")};
  if (text_of(e.payload, "name") != name)
    return "is of another tool than the behaviour's";
  const auto* const own = member_of(behaviour, "arguments");
  const auto& arguments = object_of(e.payload, "arguments");
  if (own != nullptr && !has_placeholder(*own) && !is_blob(arguments)
      && !same_value(*own, arguments))
    return "has other arguments than the behaviour's";
  return {};
}

/// The host that a URL names, with its port if it has one.
std::string_view host_of(std::string_view url) {
  const auto begin = url.find("//");
  if (begin == url.npos)
    return {};
  const auto rest = url.substr(begin + 2);
  return rest.substr(0, rest.find_first_of("/?#"));
}

std::string service_fault(const checked_event& e,
                          const json::object& behaviour) {
  const auto name = host_of(text_of(e.payload, "name"));
  const auto wanted = host_of(text_of(behaviour, "url"));
  // A port that is the scheme's own may be left out.
  const auto is_same = [](std::string_view one, std::string_view rest) {
    return !one.empty() && rest.starts_with(one)
           && (rest == one || rest.substr(one.size()) == ":80"
               || rest.substr(one.size()) == ":443");
  };
  if (is_same(name, wanted) || is_same(wanted, name))
    return {};
  return "is of another service than the behaviour's";
}

/// Which of a participant's models is called at a position: 0: its own, else
/// the n-th of its fallbacks; none: no model.
std::optional<std::size_t> model_at(std::string_view position) {
  constexpr std::string_view first = ".0";
  const auto dot = position.find('.');
  if (dot == position.npos || !position.substr(dot).starts_with(first))
    return std::nullopt;
  auto rest = position.substr(dot + first.size());
  if (rest.empty())
    return 0;
  std::size_t index = 0;
  if (rest.front() != '.')
    return std::nullopt;
  rest.remove_prefix(1);
  const auto [end, wrong] = std::from_chars(rest.data(),
                                            rest.data() + rest.size(), index);
  return wrong == std::errc{} && end == rest.data() + rest.size() && index > 0
           ? std::optional{index}
           : std::nullopt;
}

/// The settings of a participant's model; those of a fallback are its own
/// where it has them, and else the participant's if it is on the same server.
json::object model_settings(const json::object& behaviour, std::size_t which) {
  if (which == 0)
    return behaviour;
  const auto& all = array_of(behaviour, "fallback");
  if (which > all.size() || !all[which - 1].is_object())
    return {};
  const auto& own = all[which - 1].get_object();
  const bool is_elsewhere = own.contains("provider") || own.contains("dialect")
                            || own.contains("base_url");
  json::object made = own;
  for (const auto* name : {"model", "provider", "dialect", "price"})
    if (const auto* found = member_of(behaviour, name);
        found != nullptr && !own.contains(name)
        && (!is_elsewhere || std::string_view{name} == "model"))
      made[name] = *found;
  return made;
}

std::string_view provider_in(const json::object& settings) {
  const auto provider = text_of(settings, "provider");
  constexpr std::string_view other = "anthropic";
  return !provider.empty()                       ? provider
         : text_of(settings, "dialect") == other ? other
                                                 : "openai";
}

std::string model_fault(const checked_event& e, const json::object& behaviour) {
  const auto model = text_of(behaviour, "model");
  const auto& arguments = object_of(e.payload, "arguments");
  if (text_of(e.payload, "kind") != "model"
      || text_of(e.payload, "name") != model)
    return "is of another model than the behaviour's";
  if (is_blob(arguments))
    return {};
  if (text_of(arguments, "model") != model
      || text_of(arguments, "provider") != provider_in(behaviour))
    return "has another model or provider in its arguments";
  if (!is_lower_hex(text_of(arguments, "prompt_sha256"), 64))
    return "has no SHA-256 of its prompt";
  const auto* const prompt = member_of(arguments, "prompt");
  if (prompt != nullptr
      && hex_of(sha256(json::serialize(*prompt)))
           != text_of(arguments, "prompt_sha256"))
    return "has another SHA-256 than that of its prompt";
  return {};
}

std::int64_t number_of(const json::object& from, std::string_view name) {
  return integer_of(from, name).value_or(0);
}

/// As the client of models computes it, from dollars per million tokens.
std::int64_t cost_by(const json::object& price, const json::object& used) {
  const auto dollars = [&](std::string_view name) {
    const auto* found = member_of(price, name);
    return found != nullptr && found->is_number() ? found->to_number<double>()
                                                  : 0.0;
  };
  const auto cost = static_cast<double>(number_of(used, "prompt_tokens"))
                      * dollars("prompt")
                    + static_cast<double>(number_of(used, "completion_tokens"))
                        * dollars("completion");
  constexpr double most = 9e18;
  return static_cast<std::int64_t>(std::min(std::ceil(cost), most));
}

/// How a tool is called to a model, which may have got a number behind it.
bool is_called_as(std::string_view tool, std::string_view called) {
  std::string plain;
  for (const char c : tool) {
    const bool is_allowed = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
                            || (c >= '0' && c <= '9') || c == '-' || c == '_';
    plain += is_allowed ? std::string{c} : c == '/' ? "__" : "_";
  }
  if (plain.empty() || (plain.front() >= '0' && plain.front() <= '9')
      || plain.front() == '-')
    plain.insert(plain.begin(), '_');
  constexpr std::size_t longest = 64;
  plain.resize(std::min(plain.size(), longest));
  if (plain == called)
    return true;
  const auto end = called.find_last_not_of("0123456789");
  return end != called.npos && called[end] == '_' && end + 1 != called.size()
         && plain.starts_with(called.substr(0, end));
}

} // namespace

void outcome_check::feed(const checked_event& e) {
  if (e.is("action_started")) {
    begin(e);
  } else if (e.is("action_ended")) {
    end(e);
  } else if (e.is("MAPTurnDispatched")) {
    tasks_[std::string{text_of(e.payload, "token_id")}] = text_of(e.payload,
                                                                  "task");
  } else if (e.is("MAPTurnCompleted")) {
    close(e, text_of(e.payload, "participant_id"),
          text_of(e.payload, "token_id"));
    tasks_.erase(std::string{text_of(e.payload, "token_id")});
  } else if (e.is("MAPBroadcastReceived")) {
    close(e, text_of(e.payload, "receiver_participant"),
          text_of(e.payload, "broadcast_ref"));
  } else if (const auto token = text_of(e.payload, "request_id");
             !e.input().empty() && !token.empty()) {
    close(e, text_of(e.payload, "participant_id"), token);
  } else if (e.input() == "suspend") {
    suspend();
  }
}

void outcome_check::begin(const checked_event& e) {
  const auto who = text_of(e.payload, "participant_id");
  const auto position = text_of(e.payload, "position");
  const auto& behaviour = behaviour_of(e, who);
  const auto type = text_of(behaviour, "type");
  const auto kind = text_of(e.payload, "kind");
  std::string wrong;
  bool repeatable = has_flag(behaviour, "repeatable", type == "http");
  const auto only = only_position(type);
  if (!only.empty() && (position != only || kind != type)) {
    wrong = "is not one that a behaviour of type " + quote(type) + " makes";
  } else if (type == "process") {
    wrong = process_fault(e, behaviour);
  } else if (type == "mcp") {
    wrong = tool_fault(e, behaviour);
  } else if (type == "http") {
    wrong = service_fault(e, behaviour);
    const auto& arguments = object_of(e.payload, "arguments");
    const auto task = tasks_.find(text_of(e.payload, "token_id"));
    if (!is_blob(arguments)
        && (text_of(arguments, "method") != "POST"
            || (task != tasks_.end()
                && text_of(arguments, "task") != task->second)))
      wrong = "does not ask for the turn's task";
  } else if (const auto which = model_at(position); type == "llm" && which) {
    wrong = model_fault(e, model_settings(behaviour, *which));
    repeatable = true;
  } else if (type == "llm") {
    check_called(e, position);
    repeatable = has_flag(e.payload, "repeatable", false); // the tool says
  } else {
    repeatable = has_flag(e.payload, "repeatable", false);
  }
  if (wrong.empty() && repeatable != has_flag(e.payload, "repeatable", false))
    wrong = "says something else of being repeatable than the behaviour";
  if (!wrong.empty())
    e.report(action_rule, outcome_name(e) + ' ' + wrong);
  open_[{std::string{who}, std::string{text_of(e.payload, "token_id")}}]
    .insert_or_assign(std::string{position},
                      seen_action{std::string{kind}, {}});
}

void outcome_check::check_called(const checked_event& e,
                                 std::string_view position) const {
  const request of{std::string{text_of(e.payload, "participant_id")},
                   std::string{text_of(e.payload, "token_id")}};
  const auto dot = position.find('.');
  const auto round = std::string{position.substr(0, dot)};
  const auto asked = last_asked(of, round);
  const auto* const answer = asked.empty() ? nullptr : output_of(of, asked);
  if (answer == nullptr)
    return;
  const auto& calls = array_of(*answer, "tool_calls");
  std::size_t index = 0;
  if (dot != position.npos)
    std::from_chars(position.data() + dot + 1,
                    position.data() + position.size(), index);
  if (index == 0 || index > calls.size() || !calls[index - 1].is_object())
    return e.report(action_rule,
                    outcome_name(e) + " is not a call of the model's answer");
  if (const auto kind = text_of(e.payload, "kind");
      kind != "mcp" && kind != "function")
    e.report(action_rule, outcome_name(e) + " is not a call of a tool");
  const auto& call = calls[index - 1].get_object();
  if (!is_called_as(text_of(e.payload, "name"), text_of(call, "name")))
    e.report(action_rule,
             outcome_name(e) + " is of another tool than the model called");
  const auto& arguments = object_of(e.payload, "arguments");
  const auto text = text_of(call, "arguments");
  const auto wanted = parse_json(text.empty() ? "{}" : text);
  if (!is_blob(arguments) && (!wanted || !same_value(*wanted, arguments)))
    e.report(action_rule,
             outcome_name(e) + " has other arguments than the model gave");
}

void outcome_check::end(const checked_event& e) {
  if (!e.payload.contains("input"))
    return;
  const auto found
    = open_.find({std::string{text_of(e.payload, "participant_id")},
                  std::string{text_of(e.payload, "token_id")}});
  if (found == open_.end())
    return;
  const auto at = found->second.find(text_of(e.payload, "position"));
  if (at == found->second.end())
    return;
  at->second.result = object_of(e.payload, "result");
  const auto& behaviour = behaviour_of(e, text_of(e.payload, "participant_id"));
  // What answers of other clients of models are like is not known.
  if (at->second.kind != "model" || text_of(behaviour, "type") != "llm")
    return;
  if (text_of(at->second.result, "status") == "completed"
      && object_of(at->second.result, "output").empty())
    e.report(reply_rule, outcome_name(e) + " completed without an answer");
  const auto* const output = output_of(found->first, at->first);
  if (output == nullptr)
    return;
  const auto& used = object_of(at->second.result, "usage");
  const auto& said = object_of(*output, "usage");
  const auto settings = model_settings(behaviour,
                                       model_at(at->first).value_or(0));
  const auto& price = object_of(settings, "price");
  for (const auto* name : {"prompt_tokens", "completion_tokens"})
    if (number_of(used, name) != number_of(said, name))
      e.report(usage_rule, std::string{name} + " of " + outcome_name(e)
                             + " is not what the model's answer says");
  if (number_of(used, "cost_microusd") != cost_by(price, said))
    e.report(usage_rule, "the cost of " + outcome_name(e)
                           + " is not that of its tokens by the price in the "
                             "scenario");
}

const outcome_check::seen_action*
outcome_check::find(const request& of, std::string_view position) const {
  if (const auto own = open_.find(of); own != open_.end())
    if (const auto at = own->second.find(position); at != own->second.end())
      return &at->second;
  if (const auto left = left_.find(of.first); left != left_.end())
    if (const auto at = left->second.find(position); at != left->second.end())
      return &at->second;
  return nullptr;
}

std::string outcome_check::last_asked(const request& of,
                                      const std::string& round) const {
  for (std::size_t which = fallbacks_max; which > 0; --which)
    if (auto position = round + ".0." + std::to_string(which);
        find(of, position) != nullptr)
      return position;
  auto position = round + ".0";
  return find(of, position) != nullptr ? position : std::string{};
}

const json::object* outcome_check::output_of(const request& of,
                                             std::string_view position) const {
  const auto* const which = find(of, position);
  if (which == nullptr || text_of(which->result, "status") != "completed")
    return nullptr;
  const auto& output = object_of(which->result, "output");
  return output.empty() || is_blob(output) ? nullptr : &output;
}

void outcome_check::close(const checked_event& e, std::string_view who,
                          std::string_view token) {
  const request of{std::string{who}, std::string{token}};
  const auto& behaviour = behaviour_of(e, who);
  const auto* const reply = member_of(e.payload, "reply");
  if (reply != nullptr && reply->is_object()) {
    if (!only_position(text_of(behaviour, "type")).empty())
      check_answered(e, of, behaviour, reply->get_object());
    else if (text_of(behaviour, "type") == "llm")
      check_spoken(e, of, behaviour, reply->get_object());
  }
  open_.erase(of);
}

void outcome_check::check_answered(const checked_event& e, const request& of,
                                   const json::object& behaviour,
                                   const json::object& reply) const {
  const auto type = text_of(behaviour, "type");
  const auto* const which = find(of, only_position(type));
  if (which == nullptr || which->result.empty())
    return;
  const auto differs = [&](const std::string& what) {
    e.report(reply_rule, what + " is not what the output of " + quote(of.first)
                           + " makes it");
  };
  const auto status = reply_status_of(reply);
  if (text_of(which->result, "status") != "completed") {
    const auto& error = object_of(which->result, "error");
    const auto& told = object_of(reply, "error");
    if (status != "failed" || text_of(told, "code") != text_of(error, "code")
        || text_of(told, "message") != text_of(error, "message"))
      differs("the error of the reply");
    return;
  }
  const auto& output = object_of(which->result, "output");
  if (is_blob(output) || (output.size() == 1 && output.contains("http_status")))
    return; // it is not here, or the reply came later
  if (type == "mcp") {
    const auto said = text_of(reply, "content");
    if (status == "completed"
        && (!output.contains("content")
            || (text_of_tool(output) != said
                && text_of_tool(output, false) != said)))
      differs("the content of the reply");
    return;
  }
  const auto* const value = member_of(which->result, "output");
  const auto made = decode_reply(value == nullptr ? json::value{} : *value);
  if (made ? !same_value(encode(*made), reply) : status != "failed")
    differs("the reply");
}

void outcome_check::check_spoken(const checked_event& e, const request& of,
                                 const json::object& behaviour,
                                 const json::object& reply) const {
  if (reply_status_of(reply) != "completed")
    return;
  std::string_view text;
  const json::object* last = nullptr;
  for (int round = 1; round < model_rounds_max; ++round) {
    const auto position = last_asked(of, std::to_string(round));
    if (position.empty())
      break;
    last = output_of(of, position);
    if (last == nullptr)
      return; // it is a blob, or the session says how it ended
    if (const auto said = text_of(*last, "text"); !said.empty())
      text = said;
  }
  if (last == nullptr)
    return;
  const auto content = text_of(reply, "content");
  const auto& calls = array_of(*last, "tool_calls");
  bool is_said = content == text;
  if (text_of(behaviour, "reply") == "json") {
    const auto said = parse_json(text);
    is_said = !said || !said->is_object()
              || text_of(said->get_object(), "content") == content;
  }
  for (const auto& each : calls) {
    const auto* call = each.if_object();
    const auto given = call == nullptr
                         ? result<json::value>{json::value{}}
                         : parse_json(text_of(*call, "arguments"));
    is_said = is_said
              || (given && given->is_object()
                  && text_of(given->get_object(), "content") == content);
  }
  if (!is_said)
    e.report(reply_rule, "the content of the reply of " + quote(of.first)
                           + " is not what the model's answers make it");
}

/// Requests of later turns may take these up.
void outcome_check::suspend() {
  for (const auto& [of, all] : open_)
    for (const auto& [position, each] : all)
      left_[of.first].insert_or_assign(position, each);
}

} // namespace convene::protocol
