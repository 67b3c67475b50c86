#pragma once

#include <convene/runtime/log/event_log/crc32c.hpp>
#include <convene/runtime/log/event_log/marks.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convene::tests {

/// The bytes of one segment, made by the format's words and not by the writer.
class segment_text {
public:
  explicit segment_text(std::uint32_t number = 1,
                        std::optional<std::uint32_t> previous = std::nullopt) {
    close(
      host::to_line(host::opened_mark{.segment = number, .previous = previous})
      + '\n');
  }

  /// Adds a group of these lines, each with its line end.
  segment_text& group(const std::string& lines) {
    close(lines);
    return *this;
  }

  [[nodiscard]] const std::string& bytes() const {
    return bytes_;
  }

  /// Of the last group.
  [[nodiscard]] std::uint32_t crc() const {
    return crc_;
  }

  /// Where each group starts, and where the last one ends.
  [[nodiscard]] const std::vector<std::size_t>& borders() const {
    return borders_;
  }

private:
  void close(const std::string& lines) {
    const auto crc = host::crc32c(lines);
    bytes_ += lines
              + to_line(host::group_mark{
                .bytes = lines.size(), .crc = crc, .previous = crc_})
              + '\n';
    crc_ = crc;
    borders_.push_back(bytes_.size());
  }

  std::string bytes_;
  std::uint32_t crc_ = 0;
  std::vector<std::size_t> borders_{0};
};

} // namespace convene::tests
