#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace convene::protocol {

/// A UUID as a value; nil by default. Its text is lower case, 36 characters.
struct uuid {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  auto operator<=>(const uuid&) const = default;

  [[nodiscard]] bool is_nil() const noexcept {
    return high == 0 && low == 0;
  }
};

/// The text form, without allocation.
[[nodiscard]] std::array<char, 36> to_chars(const uuid& id) noexcept;
[[nodiscard]] std::string to_string(const uuid& id);

/// Accepts any version, in either case, 8-4-4-4-12; nothing else.
[[nodiscard]] std::optional<uuid> parse_uuid(std::string_view text) noexcept;

/// Whether `text` is a lower-case v4 UUID, the protocol's identifier
/// (common/identifiers.schema.json).
[[nodiscard]] bool is_uuid_v4(std::string_view text) noexcept;

/// `random` with the version and variant bits of a v4 UUID.
[[nodiscard]] constexpr uuid as_v4(uuid random) noexcept {
  random.high = (random.high & ~0xf000ULL) | 0x4000ULL;
  random.low = (random.low & ~(3ULL << 62)) | (2ULL << 62);
  return random;
}

/// The `number`-th id derived from `key`: v4-shaped, the same on every machine.
/// `space` separates the sequences derived from one key.
[[nodiscard]] uuid derive_uuid(const uuid& key, std::uint64_t space,
                               std::uint64_t number) noexcept;

/// A source of v4 UUIDs: the same seed gives the same ids. Not for secrets.
class uuid_source {
public:
  explicit uuid_source(std::uint64_t seed) noexcept;

  /// Seeded from the operating system.
  [[nodiscard]] static uuid_source from_entropy();

  [[nodiscard]] uuid next() noexcept;

private:
  uuid key_;
  std::uint64_t count_ = 0;
};

} // namespace convene::protocol
