#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/runtime/data/documents/json_files.hpp>
#include <convene/runtime/log/files/append_file.hpp>

#include <filesystem>
#include <string_view>

namespace convene::host {

/// The rule of the error if another program has the file open.
inline constexpr const char* line_file_locked = "line_file_locked";

/// A JSON Lines file of things of one kind, to which one program after the
/// other appends: it is locked while it is open.
class line_file {
public:
  /// Opens it, and creates it if it is not there. Each line must begin with
  /// `start` and be taken by `visit`, which sees all whole ones, also a last
  /// one that only lacks its end; what a crash has left of a last line is cut
  /// off. A file of something else is refused by rule `line_file` or by what
  /// `visit` says, and left as it is; one that is open, by `line_file_locked`.
  [[nodiscard]] static CONVENE_API protocol::result<line_file>
  open(const std::filesystem::path& file, std::string_view start,
       const line_visitor& visit);

  /// Appends whole lines and syncs them.
  [[nodiscard]] CONVENE_API protocol::result<void>
  append(std::string_view lines) const;

  [[nodiscard]] const std::filesystem::path& name() const noexcept {
    return name_;
  }

private:
  std::filesystem::path name_;
  append_file file_;
};

} // namespace convene::host
