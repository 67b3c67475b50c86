#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/dialog.hpp>

#include <cstddef>
#include <functional>
#include <vector>

namespace convene::protocol {

/// The number of tokens a message takes in a model's prompt.
using token_estimate = std::function<std::size_t(const dialog_message&)>;

/// One token for every four bytes, and four for what surrounds a message. Text
/// in other scripts than Latin takes more bytes per token, so the estimate is
/// too high rather than too low.
[[nodiscard]] std::size_t estimate_tokens(const dialog_message& message);

/// The part of a dialog that fits a prompt.
struct context_window {
  std::vector<dialog_message> messages; ///< in the dialog's order
  std::size_t tokens = 0;               ///< of these
  std::size_t left_out = 0;             ///< messages
};

/// All system messages, and of the others the newest that fit besides them:
/// once one does not fit, it and all older ones are omitted, so that no answer
/// appears without its question. errc::limit_reached with rule `window_tokens`
/// if the system messages alone take more than `tokens_max`.
[[nodiscard]] result<context_window>
window(const dialog& of, std::size_t tokens_max,
       const token_estimate& estimate = estimate_tokens);

} // namespace convene::protocol
