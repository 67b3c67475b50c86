#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace convene::tests {

/// A terminal that knows what the program writes to one, and shows the rest as
/// `?`: lines, the beginning of a line, wiping from there on, and going up.
class tiny_terminal {
public:
  void write(std::string_view bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const auto rest = bytes.substr(i);
      if (rest.starts_with("\x1b[J")) {
        lines_[row_].resize(std::min(column_, lines_[row_].size()));
        lines_.resize(row_ + 1);
        i += 2;
      } else if (rest.starts_with("\x1b[")
                 && rest.substr(2, 2).ends_with('A')) {
        const auto up = static_cast<std::size_t>(rest[2] - '0');
        row_ -= std::min(row_, up);
        i += 3;
      } else {
        put(bytes[i]);
      }
    }
  }

  /// All lines, each with its end but the last.
  [[nodiscard]] std::string text() const {
    std::string all;
    for (const auto& line : lines_)
      all += (&line == &lines_.front() ? "" : "\n") + line;
    return all;
  }

  [[nodiscard]] std::size_t row() const noexcept {
    return row_;
  }

private:
  void put(char c) {
    if (c == '\r') {
      column_ = 0;
      return;
    }
    if (c == '\n') {
      column_ = 0;
      if (++row_ == lines_.size())
        lines_.emplace_back();
      return;
    }
    auto& line = lines_[row_];
    line.resize(std::max(line.size(), column_ + 1), ' ');
    line[column_++] = static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  }

  std::vector<std::string> lines_{1};
  std::size_t row_ = 0;
  std::size_t column_ = 0;
};

} // namespace convene::tests
