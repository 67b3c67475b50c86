#include <convene/protocol/base/sha256.hpp>
#include <convene/server/keys/random_hex.hpp>
#include <openssl/rand.h>

#include <cstdint>
#include <span>

namespace convene::server {

std::string random_hex(std::size_t bytes) {
  std::string out(bytes, '\0');
  // Fails only where the system has no randomness, which nothing can replace.
  if (RAND_bytes(reinterpret_cast<unsigned char*>(out.data()),
                 static_cast<int>(bytes))
      != 1)
    return {};
  return protocol::hex_of(
    std::span{reinterpret_cast<const std::uint8_t*>(out.data()), out.size()});
}

} // namespace convene::server
