#pragma once

#include <convene/protocol/base/text_backlog.hpp>

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace convene::cli {

using protocol::text_piece;

/// Text of sessions that has arrived and is not shown yet. Thread-safe.
class arriving_text {
public:
  void add(std::string_view session, std::string_view who,
           std::string_view text);

  /// The pieces since the last call; their place is a session. The last one
  /// may be empty and only count what was dropped.
  [[nodiscard]] std::vector<text_piece> take();

private:
  std::mutex mutex_;
  protocol::text_backlog waiting_{///< guarded by the mutex
                                  protocol::text_backlog::pieces::joined};
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
