#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::protocol {

/// A piece of what a participant says.
struct text_piece {
  std::string place; ///< the session or node in which it is said
  std::string who;
  std::string text;
  std::size_t dropped = 0; ///< bytes before this piece that were not kept
};

/// Text that has arrived and that its reader has not taken yet. Never waits for
/// the reader: text beyond `bytes_max` is dropped and counted. A value, so not
/// thread-safe.
class text_backlog {
public:
  static constexpr std::size_t bytes_max = std::size_t{64} << 10;

  /// Whether a text that continues the last piece, in the same place by the
  /// same participant, becomes a part of it or a piece of its own.
  enum class pieces { joined, separate };

  explicit text_backlog(pieces how) : how_{how} {}

  /// False: dropped. A new piece counts more than its text, so that the number
  /// of pieces is bounded too.
  bool add(std::string_view place, std::string_view who, std::string_view text);

  /// All pieces, in the order in which they arrived.
  [[nodiscard]] std::vector<text_piece> take();

  /// What was dropped since the last piece, as a piece without text by the
  /// participant that was dropped last. The next piece does not count it then.
  [[nodiscard]] std::optional<text_piece> take_dropped();

  [[nodiscard]] bool is_empty() const noexcept {
    return pieces_.empty();
  }

private:
  pieces how_;
  std::vector<text_piece> pieces_;
  std::size_t bytes_ = 0;
  text_piece dropped_; // none if it counts no bytes
};

} // namespace convene::protocol
