#include <convene/protocol/base/uuid_table.hpp>

#include <utility>

namespace convene::protocol {
namespace {

constexpr std::size_t slots_min = 64;
constexpr std::size_t looks_max = 512;

} // namespace

std::size_t uuid_table::slot_of(const uuid& id) noexcept {
  // NOLINTNEXTLINE(modernize-use-using): __extension__ stands before no other.
  __extension__ typedef unsigned __int128 wide;
  const auto product = static_cast<wide>(id.high ^ 0x9e3779b97f4a7c15ULL)
                       * (id.low ^ 0xd1b54a32d192ed03ULL);
  return static_cast<std::size_t>(product)
         ^ static_cast<std::size_t>(product >> 64);
}

std::size_t uuid_table::find(const uuid& id) const noexcept {
  if (slots_.empty() || id.is_nil())
    return slots_.size();
  const auto mask = slots_.size() - 1;
  const auto first = slot_of(id);
  for (std::size_t i = 0; i < looks_max; ++i) {
    const auto at = (first + i) & mask;
    if (slots_[at].is_nil() || slots_[at] == id)
      return at;
  }
  return slots_.size();
}

void uuid_table::grow() {
  auto before = std::exchange(
    slots_, std::vector<uuid>(slots_.empty() ? slots_min : 2 * slots_.size()));
  used_ = 0;
  for (const auto& id : before)
    if (!id.is_nil())
      insert(id);
}

bool uuid_table::contains(const uuid& id) const {
  const auto at = find(id);
  return (at < slots_.size() && slots_[at] == id) || crowded_.contains(id);
}

bool uuid_table::insert(const uuid& id) {
  constexpr std::size_t free_part = 8;
  if (used_ >= slots_.size() - slots_.size() / free_part)
    grow();
  const auto at = find(id);
  if (at == slots_.size())
    return crowded_.insert(id).second;
  if (slots_[at] == id || crowded_.contains(id))
    return false;
  slots_[at] = id;
  ++used_;
  return true;
}

} // namespace convene::protocol
