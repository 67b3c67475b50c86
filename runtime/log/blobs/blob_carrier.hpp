#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/blob.hpp>

#include <cstddef>
#include <filesystem>
#include <set>
#include <string_view>
#include <vector>

namespace convene::host {

/// Copies the blobs that events name to the folder of another log. Copies are
/// verified and on disk.
class blob_carrier {
public:
  /// Both are folders of blobs; they may be the same.
  blob_carrier(std::filesystem::path from, std::filesystem::path to);

  /// Copies those of an event's line that were not copied before.
  void feed(std::string_view line);
  /// The same of all lines of a text.
  void feed_all(std::string_view lines);

  /// The names of those that are in the new folder.
  [[nodiscard]] const std::set<protocol::blob>& carried() const noexcept {
    return carried_;
  }
  /// Why others are not: `blob_missing`, `blob_corrupt`, `blob_unreadable`, or
  /// they cannot be written. The first ones, and how many there are.
  [[nodiscard]] const std::vector<protocol::error>& left() const noexcept {
    return left_;
  }
  [[nodiscard]] std::size_t left_total() const noexcept {
    return total_;
  }

private:
  [[nodiscard]] protocol::result<void> copy(const protocol::blob& which);

  const std::filesystem::path from_;
  const std::filesystem::path to_;
  std::set<protocol::blob> carried_;
  std::set<protocol::blob> seen_;
  std::vector<protocol::error> left_;
  std::size_t total_ = 0;
};

} // namespace convene::host
