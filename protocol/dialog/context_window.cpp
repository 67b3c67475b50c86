#include <convene/protocol/dialog/context_window.hpp>

namespace convene::protocol {

std::size_t estimate_tokens(const dialog_message& message) {
  return 4 + (message.content.size() + 3) / 4;
}

result<context_window> window(const dialog& of, std::size_t tokens_max,
                              const token_estimate& estimate) {
  const auto is_system = [](const dialog_message& one) {
    return one.role == message_role::system;
  };
  context_window shown;
  for (const auto& one : of.messages) {
    if (!is_system(one))
      continue;
    const auto tokens = estimate(one);
    // Compared this way round, no estimate is so large that it wraps.
    if (tokens > tokens_max - shown.tokens)
      return fail({.code = errc::limit_reached,
                   .message = "the system messages alone take more than the "
                              "window's "
                              + std::to_string(tokens_max)
                              + " tokens; allow more",
                   .pointer = "/messages",
                   .rule = "window_tokens",
                   .value = std::to_string(tokens_max)});
    shown.tokens += tokens;
  }
  auto first = of.messages.size();
  while (first > 0) {
    const auto& one = of.messages[first - 1];
    if (!is_system(one)) {
      const auto tokens = estimate(one);
      if (tokens > tokens_max - shown.tokens)
        break;
      shown.tokens += tokens;
    }
    --first;
  }
  for (std::size_t at = 0; at < of.messages.size(); ++at)
    if (at >= first || is_system(of.messages[at]))
      shown.messages.push_back(of.messages[at]);
  shown.left_out = of.messages.size() - shown.messages.size();
  return shown;
}

} // namespace convene::protocol
