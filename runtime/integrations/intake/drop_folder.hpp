#pragma once

#include <convene/runtime/integrations/intake/intake.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace convene::host {

/// The largest file that is taken, and the most that are looked at at a time:
/// rules `drop_bytes_max`, `drop_files_max`.
inline constexpr std::uint64_t drop_bytes_max = std::uint64_t{64} << 20;
inline constexpr std::size_t drop_files_max = 10'000;

/// Where in a drop folder go what was refused, and why.
inline constexpr const char* refused_folder = "refused";

/// A folder into which other programs move files with events, a line each. A
/// file counts by its name: `*.jsonl` or `*.json`, not hidden; it should be
/// whole when it gets that name. Links are not followed.
class drop_folder {
public:
  struct counts {
    std::uint64_t files = 0;   ///< that are done with
    std::uint64_t refused = 0; ///< lines, and files that are none of events
  };
  /// Takes an event, or says why not.
  using taker = std::function<protocol::result<void>(incoming what)>;
  /// Makes what was taken durable.
  using keeper = std::function<protocol::result<void>()>;

  /// Fails if there is no such folder.
  [[nodiscard]] static protocol::result<drop_folder>
  open(std::filesystem::path folder);

  /// Takes the files that are there, in the order of their names. Once what is
  /// in one is kept, it is removed; lines that are wrong go to a file of its
  /// name in `refused`, each with the reason. An error is one of the disk, or
  /// of `take` and `keep`: the file stays, and is read again next time.
  [[nodiscard]] protocol::result<void> read(const taker& take,
                                            const keeper& keep);

  [[nodiscard]] const counts& done() const noexcept {
    return counts_;
  }

private:
  explicit drop_folder(std::filesystem::path folder)
    : folder_{std::move(folder)} {}

  [[nodiscard]] protocol::result<std::vector<std::string>> names() const;
  [[nodiscard]] protocol::result<void>
  read_file(const std::string& name, const taker& take, const keeper& keep);

  std::filesystem::path folder_;
  counts counts_;
};

} // namespace convene::host
