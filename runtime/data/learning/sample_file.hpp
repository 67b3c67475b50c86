#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/data/documents/line_file.hpp>
#include <convene/runtime/data/learning/session_samples.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <vector>

namespace convene::host {

/// The most samples in one file.
inline constexpr std::size_t sample_file_max = 1'000'000;

/// A JSON Lines file of learning samples that several runs may add to, one
/// after the other. A sample that is in it is not added again.
class sample_file {
public:
  /// Creates it if it is not there. What a crash has left of a last line is cut
  /// off. Rules `line_file`, for a file that has something else,
  /// `sample_file_max`.
  [[nodiscard]] static CONVENE_API protocol::result<sample_file>
  open(const std::filesystem::path& file);

  /// Adds those that are not in it, and syncs. Returns how many.
  [[nodiscard]] CONVENE_API protocol::result<std::uint64_t>
  add(const std::vector<kept_sample>& samples);

private:
  std::optional<line_file> file_;
  std::set<protocol::uuid> known_;
};

} // namespace convene::host
