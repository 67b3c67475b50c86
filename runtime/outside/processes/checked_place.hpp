#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace convene::host {

/// A folder or file as it was when it was checked.
struct checked_place {
  std::string path; ///< absolute, no link in it
  dev_t device = 0;
  /// Of a folder. 0: a file; it may be saved anew, but no link may replace it.
  ino_t number = 0;
};

/// The place at an absolute path. None: nothing is there, or a link is on the
/// way.
[[nodiscard]] std::optional<checked_place> place_at(std::string path);

/// Opens a place (O_PATH, O_CLOEXEC) without following a link. Returns -1 with
/// errno if the path now leads elsewhere (ESTALE) or cannot be opened. Safe
/// after a fork of a process with several threads.
[[nodiscard]] int open_place(const checked_place& what) noexcept;

} // namespace convene::host
