#include <convene/protocol/json_schema/name_table.hpp>

#include <algorithm>
#include <bit>

namespace convene::protocol::validation {
namespace {

constexpr int seeds_max = 32;
constexpr std::uint32_t steps_max = 12;

} // namespace

std::optional<name_table> names::add(std::span<const std::string> texts,
                                     std::vector<name_entry> entries) {
  name_table table{
    .seed = 0x2545f4914f6cdd1dULL,
    .first_slot = static_cast<std::uint32_t>(slots_.size()),
    .mask = std::bit_ceil(static_cast<std::uint32_t>(texts.size() * 3 + 1)) - 1,
    .first_entry = static_cast<std::uint32_t>(entries_.size()),
    .count = static_cast<std::uint32_t>(entries.size())};
  std::vector<std::uint32_t> best;
  auto best_steps = steps_max + 1;
  auto seed = table.seed;
  for (int tries = 0; tries < seeds_max && best_steps > 0; ++tries) {
    std::vector<std::uint32_t> slots(table.mask + 1, 0);
    std::uint32_t longest = 0;
    for (std::uint32_t i = 0; i < table.count && longest < best_steps; ++i) {
      auto at = static_cast<std::uint32_t>(
        hash_name(key_of(texts[i]), texts[i], seed));
      std::uint32_t steps = 0;
      for (; slots[at & table.mask] != 0 && steps < best_steps; ++at)
        ++steps;
      slots[at & table.mask] = table.first_entry + i + 1;
      longest = std::max(longest, steps);
    }
    if (longest < best_steps) {
      best_steps = longest;
      best = std::move(slots);
      table.seed = seed;
    }
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  }
  if (best.empty())
    return std::nullopt;
  slots_.insert(slots_.end(), best.begin(), best.end());
  for (std::uint32_t i = 0; i < table.count; ++i) {
    entries[i].key = key_of(texts[i]);
    entries[i].text = static_cast<std::uint32_t>(text_.size());
    text_ += texts[i];
    entries_.push_back(entries[i]);
  }
  return table;
}

} // namespace convene::protocol::validation
