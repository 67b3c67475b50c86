#include <convene/runtime/log/digest/digest.hpp>
#include <convene/server/keys/key_ring.hpp>
#include <openssl/crypto.h>

#include <algorithm>
#include <string>
#include <tuple>

namespace convene::server {
namespace {

/// Of a key, and of who shows it.
auto parts_of(const auto& who, const std::string& id) {
  return std::tie(id, who.scopes, who.session_id, who.participant_id,
                  who.groups);
}

} // namespace

std::optional<caller> key_ring::find(std::string_view key) const {
  const auto hash = host::digest_of(key);
  const stored_key* found = nullptr;
  for (const auto& one : keys_)
    if (CRYPTO_memcmp(one.hash.data(), hash.data(), hash.size()) == 0)
      found = &one;
  if (found == nullptr)
    return std::nullopt;
  return caller{.key_id = found->id,
                .scopes = found->scopes,
                .session_id = found->session_id,
                .participant_id = found->participant_id,
                .groups = found->groups};
}

bool key_ring::holds(const caller& who) const {
  return std::ranges::any_of(keys_, [&who](const stored_key& one) {
    return parts_of(one, one.id) == parts_of(who, who.key_id);
  });
}

caller everybody() {
  return {.scopes = known_scopes()};
}

} // namespace convene::server
