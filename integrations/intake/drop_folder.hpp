#pragma once

#include <convene/integrations/intake/incoming.hpp>
#include <convene/integrations/intake/refusals.hpp>

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <utility>

namespace convene::host {

/// The largest file that is taken, and the most that are looked at at a time:
/// rules `drop_bytes_max`, `drop_files_max`.
inline constexpr std::uint64_t drop_bytes_max = std::uint64_t{64} << 20;
inline constexpr std::size_t drop_files_max = 10'000;

/// The longest name of a file that counts: others can be derived from it.
inline constexpr std::size_t drop_name_max = 240;

/// A folder into which other programs move files with events, a line each, or
/// in a `*.json` one event in several lines. A file counts by its name:
/// `*.jsonl` or `*.json`, not hidden, at most `drop_name_max` bytes; it should
/// be whole when it gets that name. Links are not followed.
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

  /// `source`: of payloads without an envelope. Fails if there is no such
  /// folder.
  [[nodiscard]] static protocol::result<drop_folder>
  open(std::filesystem::path folder, std::string source);

  /// Takes the files that are there, in the order of their names. Each is first
  /// renamed to `.taken-` and its name, so that another may get that name
  /// meanwhile. Once what is in it is kept, it is removed; lines that are wrong
  /// go to a file of its name in `refused`, each with the reason. An error is
  /// one of the disk, or of `take` and `keep`: the file stays, and is read
  /// again, before others, next time.
  [[nodiscard]] protocol::result<void> read(const taker& take,
                                            const keeper& keep);

  [[nodiscard]] const counts& done() const noexcept {
    return counts_;
  }

private:
  drop_folder(std::filesystem::path folder, std::string source)
    : folder_{std::move(folder)}, source_{std::move(source)} {}

  /// Names, those of files that are taken without what says so.
  struct listing {
    std::set<std::string> taken;
    std::set<std::string> dropped;
  };

  [[nodiscard]] protocol::result<listing> list() const;
  [[nodiscard]] protocol::result<void>
  read_taken(const std::string& name, const taker& take, const keeper& keep);

  std::filesystem::path folder_;
  std::string source_;
  counts counts_;
};

} // namespace convene::host
