#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convene::protocol::validation {

/// The first and the last bytes of a name: all of one up to 16 bytes long,
/// so that most names are compared by two words.
struct name_key {
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  std::uint32_t size = 0;

  bool operator==(const name_key&) const = default;
};

[[nodiscard]] inline name_key key_of(std::string_view name) noexcept {
  const char* const at = name.data();
  name_key key{.head = 0,
               .tail = 0,
               .size = static_cast<std::uint32_t>(name.size())};
  if (name.size() >= 8) {
    std::memcpy(&key.head, at, 8);
    std::memcpy(&key.tail, at + name.size() - 8, 8);
  } else if (name.size() >= 4) {
    std::memcpy(&key.head, at, 4);
    std::memcpy(&key.tail, at + name.size() - 4, 4);
  } else if (!name.empty()) {
    key.head = static_cast<unsigned char>(at[0])
               | static_cast<std::uint64_t>(
                   static_cast<unsigned char>(at[name.size() / 2]))
                   << 8
               | static_cast<std::uint64_t>(
                   static_cast<unsigned char>(at[name.size() - 1]))
                   << 16;
  }
  return key;
}

/// The 128-bit product, folded.
[[nodiscard]] inline std::uint64_t fold(std::uint64_t a,
                                        std::uint64_t b) noexcept {
  // NOLINTNEXTLINE(modernize-use-using): __extension__ stands before no other.
  __extension__ typedef unsigned __int128 wide;
  const auto product = static_cast<wide>(a) * b;
  return static_cast<std::uint64_t>(product)
         ^ static_cast<std::uint64_t>(product >> 64);
}

/// A hash of the name by its key; of the bytes between them for long names.
[[nodiscard]] inline std::uint64_t hash_name(const name_key& key,
                                             std::string_view name,
                                             std::uint64_t seed) noexcept {
  auto hash = fold(key.head ^ seed,
                   key.tail ^ (key.size + 0x9e3779b97f4a7c15ULL));
  for (std::size_t at = 8; at + 8 < name.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, name.data() + at, 8);
    hash = fold(hash ^ word, seed | 1);
  }
  return hash;
}

/// What a name of a schema stands for; the meaning of `value` and `bit` is
/// the owner's.
struct name_entry {
  name_key key;
  std::uint32_t text = 0; ///< where in `names::text` it starts
  std::uint32_t value = 0;
  std::uint32_t bit = 0;
};

/// One table of `names`.
struct name_table {
  std::uint64_t seed = 0;
  std::uint32_t first_slot = 0;
  std::uint32_t mask = 0; ///< slots, a power of two, less one
  std::uint32_t first_entry = 0;
  std::uint32_t count = 0;
};

/// All tables of a program, open addressing in one row of slots. A look-up
/// touches one slot and one entry, whatever the document brings: tables in
/// which names cluster are not built.
class names {
public:
  /// `entries[i]` belongs to `texts[i]`, which differ. Nothing if no seed
  /// tried spreads them: they were made to collide.
  [[nodiscard]] std::optional<name_table>
  add(std::span<const std::string> texts, std::vector<name_entry> entries);

  [[nodiscard]] const name_entry* find(const name_table& in,
                                       std::string_view name) const noexcept {
    return find_by_key(in, name, key_of(name));
  }

  /// `guess` is the place of the entry that the name may well be: the one
  /// after the last found, since documents often keep their schema's order.
  [[nodiscard]] const name_entry* find(const name_table& in,
                                       std::string_view name,
                                       std::uint32_t guess) const noexcept {
    const auto key = key_of(name);
    if (guess < in.count)
      if (const auto& entry = entries_[in.first_entry + guess];
          is_same(entry, name, key))
        return &entry;
    return find_by_key(in, name, key);
  }

  /// Where an entry stands in its table.
  [[nodiscard]] std::uint32_t place_of(const name_table& in,
                                       const name_entry& entry) const noexcept {
    return static_cast<std::uint32_t>(&entry - entries_.data())
           - in.first_entry;
  }

  [[nodiscard]] std::span<const name_entry>
  entries(const name_table& of) const noexcept {
    return {entries_.data() + of.first_entry, of.count};
  }

  [[nodiscard]] std::string_view text(const name_entry& of) const noexcept {
    return std::string_view{text_}.substr(of.text, of.key.size);
  }

  /// Calls `v` with each of its parts; `of` is a `names`, const or not.
  static void visit(auto& of, auto&& v) {
    v(of.slots_);
    v(of.entries_);
    v(of.text_);
  }

private:
  /// Compares the keys, and word by word what long names have between.
  [[nodiscard]] bool is_same(const name_entry& entry, std::string_view name,
                             const name_key& key) const noexcept {
    if (entry.key != key)
      return false;
    const char* const text = text_.data() + entry.text;
    for (std::size_t at = 8; at + 8 < name.size(); at += 8)
      if (std::memcmp(text + at, name.data() + at, 8) != 0)
        return false;
    return true;
  }

  [[nodiscard]] const name_entry*
  find_by_key(const name_table& in, std::string_view name,
              const name_key& key) const noexcept {
    auto at = static_cast<std::uint32_t>(hash_name(key, name, in.seed));
    while (true) {
      const auto slot = slots_[in.first_slot + (at & in.mask)];
      if (slot == 0)
        return nullptr;
      if (is_same(entries_[slot - 1], name, key))
        return &entries_[slot - 1];
      ++at;
    }
  }

  std::vector<std::uint32_t> slots_;
  std::vector<name_entry> entries_;
  std::string text_;
};

} // namespace convene::protocol::validation
