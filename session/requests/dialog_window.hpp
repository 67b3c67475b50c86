#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/timestamp.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::session {

/// One entry of a session's dialog. `participant` is a position in the roster,
/// or `nobody` for the session itself.
struct said {
  static constexpr std::uint32_t nobody = 0xffffffff;

  std::uint32_t participant = nobody;
  protocol::timestamp_ms at = 0;
  std::string_view content;

  bool operator==(const said&) const = default;
};

/// Consecutive entries of a session's dialog, packed into one string, so that a
/// request copies a single block of memory however many messages it shows.
class dialog_window {
public:
  dialog_window() = default;

  /// Appends an entry.
  void add(const said& entry);

  /// The entries; their text points into this object.
  [[nodiscard]] CONVENE_API std::vector<said> entries() const;

  [[nodiscard]] bool empty() const noexcept {
    return packed_.empty();
  }

  /// Its size, with a few bytes for each entry.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return packed_.size();
  }

  bool operator==(const dialog_window&) const = default;

  /// For serialisation.
  template <class Inspector>
  friend auto inspect(Inspector& f, dialog_window& x) {
    return f(x.packed_);
  }

private:
  friend class dialog_record;

  explicit dialog_window(std::string_view packed) : packed_(packed) {}

  std::string packed_; ///< size (4 bytes), participant (4), time (8), text
};

/// The complete dialog of a session.
class dialog_record {
public:
  void add(const said& entry);

  /// The last entries: at most `count` of them and `bytes` bytes of text.
  [[nodiscard]] dialog_window last(std::size_t count, std::size_t bytes) const;

  /// The position of shown entries, in bytes; nothing: they are not part of it.
  [[nodiscard]] std::optional<std::size_t>
  find(const dialog_window& part) const noexcept;

  /// The entries there, if whole ones are.
  [[nodiscard]] std::optional<dialog_window> part(std::size_t from,
                                                  std::size_t bytes) const;

  [[nodiscard]] const dialog_window& all() const noexcept {
    return all_;
  }

  [[nodiscard]] std::size_t size() const noexcept {
    return starts_.size();
  }

  /// Takes back all but the first entries.
  void truncate(std::size_t size);

  /// Moves the complete dialog out.
  [[nodiscard]] dialog_window release() noexcept {
    starts_.clear();
    return std::exchange(all_, {});
  }

private:
  dialog_window all_;
  std::vector<std::size_t> starts_; ///< of the entries in `all_`
};

} // namespace convene::session
