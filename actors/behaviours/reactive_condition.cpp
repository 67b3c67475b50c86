#include <boost/json/serialize.hpp>
#include <boost/system/error_code.hpp>
#include <convene/actors/behaviours/reactive_condition.hpp>
#include <convene/protocol/text/pattern.hpp>

#include <algorithm>
#include <ranges>

namespace convene::actors {
namespace {

namespace json = boost::json;

bool is_called(const session::session_info& about, std::uint32_t who,
               std::string_view name) {
  if (who >= about.participants.size())
    return false;
  const auto& one = about.participants[who];
  return one.participant_id == name || one.role_id.value_or("") == name
         || (who < about.role_names.size() && about.role_names[who] == name);
}

bool asks_of(const std::optional<number_condition>& what, std::int64_t number) {
  return !what || what->holds(number);
}

} // namespace

bool text_pattern::is_found(std::string_view text) const {
  return compiled == nullptr || protocol::validation::is_found(*compiled, text);
}

bool number_condition::holds(std::int64_t number) const noexcept {
  return (!equals || number == *equals) && (!differs || number != *differs)
         && (!at_most || number <= *at_most)
         && (!at_least || number >= *at_least) && (!below || number < *below)
         && (!above || number > *above)
         && (!multiple_of || number % *multiple_of == 0);
}

bool message_condition::holds(const turn_request& asked) const {
  auto left = latest;
  const auto all = asked.window.entries();
  for (const auto& one : all | std::views::reverse) {
    // The session itself only says the task, which has a condition of its own.
    if (one.participant == session::said::nobody)
      continue;
    if (!from.empty()
        && (asked.about == nullptr
            || !is_called(*asked.about, one.participant, from)))
      continue;
    if (matches.is_found(one.content))
      return true;
    if (--left == 0)
      return false;
  }
  return false;
}

bool resource_condition::holds(const turn_request& asked) const {
  const auto* found = asked.workspace.find(session::name_of(name));
  const bool is_there = found != nullptr && !found->deleted;
  if (!asks_of(version, found == nullptr
                          ? 0
                          : static_cast<std::int64_t>(found->version)))
    return false;
  const json::value* value = nullptr;
  if (is_there) {
    boost::system::error_code none;
    value = found->value.find_pointer(pointer, none);
  }
  if (present && *present != (value != nullptr))
    return false;
  if (matches.is_given()) {
    if (value == nullptr)
      return false;
    const auto* text = value->if_string();
    if (!matches.is_found(text != nullptr
                            ? std::string{text->data(), text->size()}
                            : json::serialize(*value)))
      return false;
  }
  return std::ranges::all_of(comparisons, [&](const comparison& one) {
    return value == nullptr ? one.how == protocol::relation::differs
                            : protocol::holds(one.how, *value, one.with);
  });
}

bool reactive_condition::holds(const turn_request& asked) const {
  const auto is_held = [&asked](const reactive_condition& one) {
    return one.holds(asked);
  };
  return (!kind || *kind == asked.kind)
         && (!participant || *participant == asked.participant
             || *participant == asked.role || *participant == asked.role_name)
         && (!duty || *duty == asked.duty) && task.is_found(asked.task)
         && asks_of(turn, asked.turn) && asks_of(round, asked.round)
         && asks_of(attempt, asked.attempt)
         && asks_of(request, std::int64_t{asked.sequence} + 1)
         && (!resource || resource->holds(asked))
         && (!message || message->holds(asked))
         && std::ranges::all_of(all, is_held)
         && (any.empty() || std::ranges::any_of(any, is_held))
         && std::ranges::none_of(none, is_held);
}

} // namespace convene::actors
