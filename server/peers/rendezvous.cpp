#include <convene/protocol/base/sha256.hpp>
#include <convene/server/peers/rendezvous.hpp>

#include <array>
#include <cstdint>

namespace convene::server {

std::optional<std::size_t> pick_node(std::string_view key,
                                     std::span<const std::string> names) {
  std::optional<std::size_t> best;
  std::array<std::uint8_t, 32> most{};
  for (std::size_t at = 0; at < names.size(); ++at) {
    // The name first: no name has the byte 0, so no other pair is this text.
    const auto weight = protocol::sha256(names[at] + '\0' + std::string{key});
    if (!best || weight > most) {
      best = at;
      most = weight;
    }
  }
  return best;
}

} // namespace convene::server
