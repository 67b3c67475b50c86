#include <convene/protocol/base/sha256.hpp>
#include <convene/server/keys/key_ring.hpp>
#include <openssl/crypto.h>

namespace convene::server {

std::optional<caller> key_ring::find(std::string_view key) const {
  const auto hash = protocol::sha256(key);
  const stored_key* found = nullptr;
  for (const auto& one : keys_)
    if (CRYPTO_memcmp(one.hash.data(), hash.data(), hash.size()) == 0)
      found = &one;
  if (found == nullptr)
    return std::nullopt;
  return caller{.key_id = found->id,
                .scopes = found->scopes,
                .session_id = found->session_id,
                .participant_id = found->participant_id};
}

caller everybody() {
  return {.scopes = known_scopes()};
}

} // namespace convene::server
