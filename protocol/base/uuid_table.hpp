#pragma once

#include <convene/protocol/base/uuid.hpp>

#include <cstddef>
#include <set>
#include <vector>

namespace convene::protocol {

/// Millions of ids, in 18 to 37 bytes each. Ids that were chosen to collide
/// make it no slower than a `std::set`.
class uuid_table {
public:
  /// Whether the id is new.
  bool insert(const uuid& id);

  [[nodiscard]] bool contains(const uuid& id) const;

private:
  [[nodiscard]] static std::size_t slot_of(const uuid& id) noexcept;
  /// The slot that the id is in, or may be put into; `slots_.size()`: there is
  /// no room for it.
  [[nodiscard]] std::size_t find(const uuid& id) const noexcept;
  void grow();

  std::vector<uuid> slots_; ///< nil: free; a power of two
  std::size_t used_ = 0;
  std::set<uuid> crowded_; ///< those that had no room
};

} // namespace convene::protocol
