#pragma once

#include <convene/lab/study/point_result.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/seal.hpp>
#include <convene/runtime/log/files/append_file.hpp>
#include <convene/runtime/log/files/folder_lock.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace convene::host {

/// The finished points of a study, in their order, one a line of the file
/// `points.jsonl` of a folder: `{"study", "point", ...}` with the members of a
/// `point_result`, and a seal over the lines up to there. `study` is the hash
/// of what the study is, so that a store is never gone on with by another one.
class point_store {
public:
  /// Takes the folder, which is new, empty, or a store of this study; of one
  /// that was killed the last line may be cut short, and goes. Errors: `out`
  /// for a folder with other files, `study_other` for another study's store,
  /// `study_store` for one that is damaged or was edited, `folder_locked`.
  [[nodiscard]] static protocol::result<point_store>
  open(const std::filesystem::path& folder, std::string study,
       std::uint64_t seeds, std::size_t points);

  /// What was found.
  [[nodiscard]] const std::vector<point_result>& finished() const noexcept {
    return finished_;
  }

  /// Appends the next point, and has it on disk.
  [[nodiscard]] protocol::result<void> append(const point_result& next);

private:
  /// Reads the finished points; returns how many bytes their lines have.
  [[nodiscard]] protocol::result<std::int64_t>
  read(const std::filesystem::path& file, std::uint64_t seeds,
       std::size_t points);

  folder_lock held_;
  append_file target_;
  std::string study_;
  std::vector<point_result> finished_;
  std::size_t count_ = 0;
  protocol::seal_chain seals_;
};

} // namespace convene::host
