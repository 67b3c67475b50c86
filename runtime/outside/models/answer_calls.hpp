#pragma once

#include <convene/protocol/documents/action.hpp>
#include <convene/runtime/outside/models/conversation.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

// Tool calls of an answer in OpenAI's form, as servers send them; for sources
// in this folder only.

namespace convene::host {

/// Puts tool calls together, by one rule for all servers:
/// - the calls of a complete message are one after the other, whatever their
///   indices and ids are;
/// - a piece without a name continues the call of its index or id, else the
///   current call, even if its id is another one;
/// - a piece with a name begins a call, unless it repeats the name of one that
///   its index, its id or its place continues and whose arguments are not
///   complete.
/// Ids may be missing; `complete_ids` makes them up.
class call_assembly {
public:
  /// Takes an element of `tool_calls`, or a `function_call`. The error if it
  /// cannot be put together with the ones before.
  [[nodiscard]] std::optional<protocol::action_error>
  add(const protocol::json::object& piece, bool is_complete);

  /// After the last piece: the calls in the order of their indices, if all have
  /// one, else as they came.
  [[nodiscard]] tl::expected<std::vector<tool_call>, protocol::action_error>
  finish() &&;

private:
  /// How far the JSON object of some arguments goes.
  struct object_end {
    std::int64_t depth = 0;
    bool in_string = false;
    bool escapes = false;
    bool is_reached = false;

    void pass(std::string_view text);
  };

  struct call_parts {
    tool_call call;
    std::optional<std::int64_t> index;
    object_end end;
  };

  struct call_piece;

  [[nodiscard]] call_parts* place_of(const call_piece& piece);
  [[nodiscard]] bool continues(const call_parts& call,
                               const call_piece& piece) const;

  std::vector<call_parts> calls_;
  std::size_t current_ = 0; ///< meaningless as long as there are none
};

/// Gives an id to each call that has none, or that of another one: nine letters
/// and digits, as the strictest provider wants them, made of `unique` and the
/// call's place.
void complete_ids(std::vector<tool_call>& calls, std::string_view unique);

} // namespace convene::host
