#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace convene::cli {

/// A piece of what somebody says.
struct text_piece {
  std::string session;
  std::string who;
  std::string text;
  std::uint64_t dropped = 0; ///< bytes that came before it and are lost
};

/// Text that has arrived and is not shown yet. Never waits: what comes while
/// `bytes_max` are here is dropped and counted. Thread-safe.
class arriving_text {
public:
  static constexpr std::size_t bytes_max = std::size_t{64} << 10;

  void add(std::string_view session, std::string_view who,
           std::string_view text);

  /// All of it, in the order in which it came.
  [[nodiscard]] std::vector<text_piece> take();

private:
  std::mutex mutex_;
  std::vector<text_piece> pieces_; ///< guarded by mutex, like the rest
  std::size_t bytes_ = 0;
};

/// Makes rows of pieces of text, by who says it. Long lines are broken, blank
/// ones left out; all is made neutral.
class spoken_rows {
public:
  /// The rows that are complete, each of at most `columns`.
  [[nodiscard]] std::vector<std::string> add(const text_piece& what,
                                             std::size_t columns);

  /// The beginning of somebody's next row; empty: there is none.
  [[nodiscard]] std::string_view begun(std::string_view who) const;

  /// Ends somebody's row, and returns it.
  [[nodiscard]] std::string end(std::string_view who);

private:
  std::map<std::string, std::string, std::less<>> begun_; ///< neutral, by who
};

} // namespace convene::cli
