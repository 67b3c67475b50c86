#include <convene/protocol/base/sha256.hpp>
#include <convene/runtime/outside/participants/signature.hpp>

#include <chrono>
#include <cstdint>
#include <span>

namespace convene::host {
namespace {

constexpr std::size_t block_bytes = 64;

std::string bytes_of(std::span<const std::uint8_t> from) {
  return {from.begin(), from.end()};
}

} // namespace

std::string hmac_sha256(std::string_view key, std::string_view text) {
  std::string block{key};
  if (block.size() > block_bytes)
    block = bytes_of(protocol::sha256(key));
  block.resize(block_bytes, '\0');
  const auto masked = [&](unsigned mask) {
    auto copy = block;
    for (auto& each : copy)
      each = static_cast<char>(static_cast<unsigned char>(each) ^ mask);
    return copy;
  };
  const auto inner = protocol::sha256(masked(0x36).append(text));
  return protocol::hex_of(protocol::sha256(masked(0x5c) + bytes_of(inner)));
}

void add_signature(http_request& to, const std::string& secret) {
  using namespace std::chrono;
  const auto now = system_clock::now().time_since_epoch();
  const auto time = std::to_string(duration_cast<seconds>(now).count());
  to.headers.push_back({"X-Convene-Timestamp", time});
  to.headers.push_back({"X-Convene-Signature",
                        "sha256=" + hmac_sha256(secret, time + '.' + to.body)});
}

} // namespace convene::host
