#pragma once

#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace convene::host {

/// Where in a drop folder go what was refused, and why.
inline constexpr const char* refused_folder = "refused";

/// Of one file, how many refused lines are kept with their reasons, how much of
/// a line, and how much of all: rule `refusals_max`. Beyond that the file
/// itself is kept. And how many files that were kept may have the same name:
/// rule `refused_files_max`.
inline constexpr std::size_t refusals_max = 1'000;
inline constexpr std::size_t refused_line_max = 64 << 10;
inline constexpr std::size_t refused_bytes_max = 1 << 20;
inline constexpr int refused_files_max = 1'000;

/// What of one dropped file was refused. Bounded.
class refusals {
public:
  void add(const protocol::error& why, std::size_t number,
           std::string_view line);

  /// The file cannot be read.
  void add_whole(const protocol::error& why);

  [[nodiscard]] std::uint64_t count() const noexcept {
    return count_;
  }

  /// Adds the reasons to a file `name` in the folder `refused` of `folder`, and
  /// moves what was read there if reasons do not say all of it; else removes
  /// it. If nothing was refused, only the latter. Links are not followed.
  [[nodiscard]] protocol::result<void>
  set_aside(const std::filesystem::path& folder, const std::string& name,
            const std::filesystem::path& read) const;

private:
  std::string lines_;
  std::uint64_t count_ = 0;
  bool keeps_file_ = false;
  bool is_full_ = false;
};

} // namespace convene::host
