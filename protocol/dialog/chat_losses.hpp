#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::protocol {

/// Counts the parts of a chat that the text of a dialog cannot hold unchanged.
/// A value.
class chat_losses {
public:
  /// Kinds that are counted by name; all others are "others".
  static constexpr std::size_t kinds_max = 16;

  /// Its form is lost: the dialog has it as text.
  void kept_as_text(std::string_view kind) {
    count(as_text_, kind);
  }
  /// The dialog does not have it.
  void left_out(std::string_view kind) {
    count(left_out_, kind);
  }
  /// Chats that were read one after the other.
  void began_chat() noexcept {
    ++chats_;
  }

  /// One line for a person; empty if nothing is lost. Names come from the chat
  /// and may hold anything.
  [[nodiscard]] std::string summary() const;

private:
  using counts = std::vector<std::pair<std::string, std::size_t>>;

  static void count(counts& in, std::string_view kind);

  std::size_t chats_ = 0;
  counts as_text_;
  counts left_out_;
};

} // namespace convene::protocol
