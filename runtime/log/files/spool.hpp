#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/files/descriptor.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

namespace convene::host {

/// Keeps a text of any length until all of it is known: in memory up to a
/// bound, beyond that in a temporary file. The file is in TMPDIR (else /tmp),
/// readable by its owner alone, and has no name, so the system removes it when
/// the program ends, however it ends.
class spool {
public:
  using piece_taker = std::function<void(std::string_view)>;

  explicit spool(std::size_t memory_bytes_max = std::size_t{1} << 20)
    : memory_bytes_max_{memory_bytes_max} {
    // nop
  }

  /// Appends. errc::io_failed: the temporary file cannot be written.
  [[nodiscard]] protocol::result<void> write(std::string_view text);

  /// How many bytes were written.
  [[nodiscard]] std::uint64_t bytes() const noexcept {
    return in_file_ + memory_.size();
  }

  /// Hands over the text, or a part of it, in pieces. No piece ends inside a
  /// character of UTF-8.
  [[nodiscard]] protocol::result<void>
  read(const piece_taker& take, std::uint64_t from = 0,
       std::uint64_t bytes_max
       = std::numeric_limits<std::uint64_t>::max()) const;

private:
  [[nodiscard]] protocol::result<void> open();
  [[nodiscard]] protocol::result<void> read_some(std::uint64_t from,
                                                 std::string& into) const;

  std::size_t memory_bytes_max_;
  std::string memory_;        ///< behind what is in the file
  std::uint64_t in_file_ = 0; ///< bytes
  descriptor file_;           ///< once the text exceeds the bound
};

/// Writes a new file, as `write_file` does, with the pieces that `read` hands
/// over. Leaves no file behind if that fails.
[[nodiscard]] protocol::result<void> write_new_file(
  const std::filesystem::path& file,
  const std::function<protocol::result<void>(const spool::piece_taker& take)>&
    read);

} // namespace convene::host
