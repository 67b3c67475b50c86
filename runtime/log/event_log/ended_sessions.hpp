#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/event_log/log_file.hpp>
#include <convene/runtime/log/event_log/marks.hpp>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

// Tells a log that lost its end from one that never had more: the file `ended`
// beside the segments says how far the log reached when the end of a session,
// or of a log of runs anything, was last acknowledged. docs/events.md section 3
// has its format.

namespace convene::host {

inline constexpr std::string_view ended_file_name = "ended";

/// The rule of the error if a log lacks the end of a session that was
/// acknowledged.
inline constexpr const char* session_end_missing = "session_end_missing";

/// The size of a record. The file has two, written in turn, so that one is
/// whole whatever happens to the other.
inline constexpr std::size_t ended_record_bytes = 256;

/// One record with its line end.
[[nodiscard]] std::string to_record(const ended_mark& mark);

/// The content of the file.
struct ended_records {
  std::optional<ended_mark> last; ///< none: no record was ever written whole
  std::size_t next = 0;           ///< index of the record to write next
};

/// Reads a whole file. A record that was not written whole is ignored; if
/// neither of two is whole, the file is refused as `log_damaged`.
[[nodiscard]] protocol::result<ended_records>
parse_ended(std::string_view bytes, const std::string& file);

/// Reads the file `ended` of a folder of segments. No file: no record.
[[nodiscard]] protocol::result<ended_records>
read_ended(const std::filesystem::path& folder);

/// The error of a log that does not reach as far as `mark` says.
[[nodiscard]] tl::unexpected<protocol::error>
lost_end(const ended_mark& mark, const std::filesystem::path& folder);

/// Keeps the file while its log is written.
class ended_file {
public:
  ended_file() = default; ///< of a log that is a single file: keeps nothing
  ended_file(storage& files, std::filesystem::path folder,
             const ended_records& found);

  /// Whether there is a file to keep.
  [[nodiscard]] bool is_kept() const noexcept {
    return files_ != nullptr;
  }

  /// Replaces the older record. With `sync`, it is on disk then.
  [[nodiscard]] protocol::result<void> write(const ended_mark& mark, bool sync);

  /// Removes the file: what it says was given up.
  [[nodiscard]] protocol::result<void> remove(bool sync);

private:
  storage* files_ = nullptr;
  std::filesystem::path folder_;
  std::size_t next_ = 0;
  std::optional<log_file> file_; // once it was written
};

} // namespace convene::host
