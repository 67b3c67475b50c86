// Whether an action is one that the participant's behaviour makes.

#include <boost/json/serialize.hpp>
#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/checks/outcome_check.hpp>
#include <convene/protocol/checks/outcome_facts.hpp>
#include <convene/protocol/documents/approval.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/same_value.hpp>

#include <algorithm>
#include <charconv>

namespace convene::protocol {
namespace {

constexpr std::string_view action_rule = "actions_match_behaviour";

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

/// The action in the form that digests cover.
json::object asked_in(const json::object& payload) {
  json::object made;
  for (const auto* name :
       {"position", "kind", "name", "arguments", "repeatable"})
    if (const auto* found = payload.if_contains(name))
      made.emplace(name, *found);
  return made;
}

} // namespace

void outcome_check::begin(const checked_event& e) {
  const auto who = text_of(e.payload, "participant_id");
  const auto position = text_of(e.payload, "position");
  const auto& behaviour = behaviour_of(e, who);
  const auto type = text_of(behaviour, "type");
  const auto kind = text_of(e.payload, "kind");
  std::string wrong;
  bool repeatable = has_flag(behaviour, "repeatable", type == "http");
  const auto only = only_position(type);
  if (const auto call = approved_position(position);
      kind == "person" && !call.empty() && asks_approval(behaviour)) {
    wrong = question_fault(e, call);
    repeatable = true;
  } else if (!only.empty() && (position != only || kind != type)) {
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
    check_called(e, position, e.payload);
    repeatable = has_flag(e.payload, "repeatable", false); // the tool says
  } else {
    repeatable = has_flag(e.payload, "repeatable", false);
  }
  if (wrong.empty() && repeatable != has_flag(e.payload, "repeatable", false))
    wrong = "says something else of being repeatable than the behaviour";
  if (!wrong.empty())
    e.report(action_rule, outcome_name(e) + ' ' + wrong);
  if (!only.empty() || (type == "llm" && !model_at(position)))
    check_approved(e);
  open_[{std::string{who}, std::string{text_of(e.payload, "token_id")}}]
    .insert_or_assign(std::string{position},
                      seen_action{std::string{kind}, asked_in(e.payload), {}});
}

/// `call` has its kind, its name and, unless they are large, its arguments.
void outcome_check::check_called(const checked_event& e,
                                 std::string_view position,
                                 const json::object& call) const {
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
  if (const auto kind = text_of(call, "kind");
      kind != "mcp" && kind != "function")
    e.report(action_rule, outcome_name(e) + " is not a call of a tool");
  const auto& made = calls[index - 1].get_object();
  if (!is_called_as(text_of(call, "name"), text_of(made, "name")))
    e.report(action_rule,
             outcome_name(e) + " is of another tool than the model called");
  const auto& arguments = object_of(call, "arguments");
  const auto text = text_of(made, "arguments");
  const auto wanted = parse_json(text.empty() ? "{}" : text);
  const bool is_here = !is_blob(arguments)
                       && (&call == &e.payload.object()
                           || call.contains("arguments"));
  if (is_here && (!wanted || !same_value(*wanted, arguments)))
    e.report(action_rule,
             outcome_name(e) + " has other arguments than the model gave");
}

} // namespace convene::protocol
