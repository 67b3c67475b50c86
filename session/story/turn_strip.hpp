#pragma once

#include <cstddef>
#include <string>

namespace convene::session {

/// How the turns of a session ended, in that order, as a short text: `c`
/// completed, `x` cancelled, `t` timed out, `d` declined, `f` failed. Of more
/// than `columns_max`, neighbors share a letter: the worst of them.
class turn_strip {
public:
  static constexpr std::size_t columns_max = 60;

  void add(char ending);

  [[nodiscard]] const std::string& text() const noexcept {
    return text_;
  }

private:
  std::string text_;
  std::size_t width_ = 1; ///< turns of a letter
  std::size_t last_ = 0;  ///< turns of the last letter
};

} // namespace convene::session
