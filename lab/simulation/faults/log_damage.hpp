#pragma once

#include <convene/lab/frail_storage/frail_storage.hpp>

#include <filesystem>

namespace convene::host {

/// What is drawn for a damage, each above 0 and below 1.
struct damage_draws {
  double segment = 0; ///< which segment
  double how = 0;
  double place = 0; ///< in the file
};

/// Damages a log, at `path` in one file or in segments, in a way that whoever
/// opens it must notice: one bit is another, or of a segment that has another
/// one behind it the end is missing or the whole file, or both are exchanged.
/// False: there is not enough of a log for that yet, and nothing is changed.
[[nodiscard]] bool damage_log(frail_storage& disk,
                              const std::filesystem::path& path,
                              bool is_segmented, const damage_draws& draws);

} // namespace convene::host
