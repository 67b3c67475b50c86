#include <boost/json/serialize.hpp>
#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/runtime/outside/models/answer_calls.hpp>
#include <convene/runtime/outside/models/answer_original.hpp>
#include <convene/runtime/outside/models/wire.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace convene::host {

namespace json = protocol::json;
using protocol::text_of;

/// What one element says.
struct call_assembly::call_piece {
  std::optional<std::int64_t> index;
  std::string_view id;
  std::string_view name;
  std::string text; ///< of the arguments
  bool is_whole_text = false;
};

void call_assembly::object_end::pass(std::string_view text) {
  for (const char c : text)
    if (in_string) {
      in_string = escapes || c != '"';
      escapes = !escapes && c == '\\';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      is_reached = --depth == 0;
    }
}

std::optional<protocol::action_error>
call_assembly::add(const json::object& from, bool is_complete) {
  const auto* inside = object_member(from, "function");
  const auto& function = inside ? *inside : from;
  call_piece piece{.id = text_of(from, "id"),
                   .name = text_of(function, "name")};
  if (!is_complete)
    if (const auto index = whole_number(from, "index"); index && *index >= 0)
      piece.index = index;
  if (const auto* arguments = function.if_contains("arguments");
      arguments && !arguments->is_null()) {
    piece.is_whole_text = !arguments->is_string();
    piece.text = arguments->is_string() ? std::string{arguments->get_string()}
                                        : json::serialize(*arguments);
  }
  auto* to = is_complete ? nullptr : place_of(piece);
  if (!to) {
    if (!is_complete && piece.name.empty() && piece.id.empty())
      return invalid_answer("the model's answer continues a tool call that it "
                            "did not begin");
    if (calls_.size() == tool_calls_max)
      return protocol::action_error{
        .code = "tool_calls_max",
        .message = "the model's answer has more than "
                   + std::to_string(tool_calls_max) + " tool calls"};
    to = &calls_.emplace_back(call_parts{.index = piece.index});
  }
  current_ = static_cast<std::size_t>(to - calls_.data());
  auto& call = to->call;
  if (call.id.empty())
    call.id = piece.id;
  if (call.name.empty())
    call.name = piece.name;
  else if (!piece.name.empty() && piece.name != call.name)
    return invalid_answer("a tool call of the model's answer has two names: "
                          + protocol::quote(call.name) + " and "
                          + protocol::quote(piece.name));
  if (piece.is_whole_text) {
    call.arguments.clear();
    to->end = {};
  }
  to->end.pass(piece.text);
  call.arguments += piece.text;
  merge_original(call.extra, from);
  if (inside)
    if (json::object extra; merge_original(extra, *inside))
      call.extra["function"] = std::move(extra);
  return std::nullopt;
}

/// The call that a piece continues; null: it begins one.
call_assembly::call_parts* call_assembly::place_of(const call_piece& piece) {
  if (calls_.empty())
    return nullptr;
  call_parts* by_index = nullptr;
  call_parts* by_id = nullptr;
  for (auto& each : calls_) {
    const bool same_id = !piece.id.empty() && each.call.id == piece.id;
    if (same_id)
      by_id = &each;
    if (piece.index && each.index == piece.index
        && (!by_index || same_id || by_index->call.id != piece.id))
      by_index = &each;
  }
  auto* current = &calls_[current_];
  auto* to = by_index ? by_index : by_id;
  if (piece.name.empty()) {
    if (!to && !(piece.index && current->end.is_reached))
      to = current;
    return to;
  }
  if (!to && !piece.index)
    to = current;
  return to && continues(*to, piece) ? to : nullptr;
}

/// Whether a piece with a name goes on with a call.
bool call_assembly::continues(const call_parts& to,
                              const call_piece& piece) const {
  if (to.call.name.empty())
    return true;
  const bool same_id = !piece.id.empty() && piece.id == to.call.id;
  if (to.end.is_reached)
    return to.call.name == piece.name && piece.text.empty()
           && (same_id || (piece.id.empty() && piece.index));
  if (to.call.name != piece.name)
    return same_id; // which is an error
  const bool other_id = !same_id && !piece.id.empty() && !to.call.id.empty();
  return !other_id || !to.call.arguments.empty();
}

tl::expected<std::vector<tool_call>, protocol::action_error>
call_assembly::finish() && {
  if (std::ranges::all_of(calls_, [](const auto& each) {
        return each.index.has_value();
      }))
    std::ranges::stable_sort(calls_, {}, &call_parts::index);
  std::vector<tool_call> all;
  for (auto& [call, index, end] : calls_) {
    if (call.name.empty())
      return tl::unexpected{
        invalid_answer("a tool call of the model's answer has no name")};
    all.push_back(std::move(call));
  }
  return all;
}

void complete_ids(std::vector<tool_call>& calls, std::string_view unique) {
  std::set<std::string, std::less<>> seen;
  std::string beginning;
  for (std::size_t at = 0; at < calls.size(); ++at) {
    auto& id = calls[at].id;
    if (!id.empty() && seen.insert(id).second)
      continue;
    if (beginning.empty())
      beginning = 'c' + protocol::hex_of(protocol::sha256(unique)).substr(0, 5);
    const auto number = std::to_string(at);
    id = beginning
         + std::string(3 - std::min<std::size_t>(number.size(), 3), '0')
         + number;
    seen.insert(id);
  }
}

} // namespace convene::host
