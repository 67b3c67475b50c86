#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/server/keys/scopes.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace convene::server {

/// What is kept of a key. Its hash is one round of SHA-256: keys are 256 random
/// bits, which nobody finds by trying, so nothing slower is needed.
struct stored_key {
  std::string id;
  std::array<std::uint8_t, 32> hash{};
  scope_set scopes;
  std::string session_id;                    ///< empty: any session
  std::string participant_id;                ///< empty: anybody's answers
  std::set<std::string, std::less<>> groups; ///< empty: turns of all groups
  std::string created_at;

  bool operator==(const stored_key&) const = default;
};

/// Files with more keys are refused.
inline constexpr std::size_t keys_max = 1'000;

[[nodiscard]] protocol::result<std::vector<stored_key>>
read_keys(const std::filesystem::path& file);

/// What a new key is for.
struct key_order {
  scope_set scopes;
  std::string session_id; ///< both or none of the two
  std::string participant_id;
  std::set<std::string, std::less<>> groups;
  std::string created_at;
};

struct new_key {
  stored_key stored;
  std::string text; ///< the key itself, which is kept nowhere
};

/// Makes a key and puts its hash into the file, which is created if it is not
/// there, readable by its owner alone. Two who do so at once wait for each
/// other.
[[nodiscard]] protocol::result<new_key>
add_key(const std::filesystem::path& file, const key_order& order);

/// Takes a key out of the file.
[[nodiscard]] protocol::result<void>
remove_key(const std::filesystem::path& file, std::string_view id);

} // namespace convene::server
