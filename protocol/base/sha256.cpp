#include <convene/protocol/base/sha256.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace convene::protocol {
namespace {

constexpr std::array<std::uint32_t, 64> round_constants{
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
  0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
  0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
  0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
  0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
  0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using state = std::array<std::uint32_t, 8>;
constexpr std::size_t block_bytes = 64;

/// One of eight rounds in a row.
template <std::size_t Step>
[[gnu::always_inline]] inline void
mix_round(state& words, std::uint32_t input) noexcept {
  const auto word = [&words](std::size_t name) -> std::uint32_t& {
    return words[(name + 8 - Step) % 8];
  };
  const auto a = word(0);
  const auto b = word(1);
  const auto c = word(2);
  const auto e = word(4);
  const auto f = word(5);
  const auto g = word(6);
  const auto one = word(7)
                   + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25))
                   + (g ^ (e & (f ^ g))) + input;
  word(3) += one;
  word(7) = one + (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22))
            + ((a & b) | (c & (a | b)));
}

void mix_block(state& hash, const std::uint8_t* block) noexcept {
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i, block += 4)
    w[i] = std::uint32_t{block[0]} << 24 | std::uint32_t{block[1]} << 16
           | std::uint32_t{block[2]} << 8 | std::uint32_t{block[3]};
  for (std::size_t i = 16; i < 64; ++i) {
    const auto a = w[i - 15];
    const auto b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7]
           + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3))
           + (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  auto mixed = hash;
  // After a round each word has the name of the next one: after eight all have
  // their own again, so that none has to move.
  for (std::size_t i = 0; i < 64; i += 8)
    [&]<std::size_t... Step>(std::index_sequence<Step...>) {
      (mix_round<Step>(mixed, round_constants[i + Step] + w[i + Step]), ...);
    }
  (std::make_index_sequence<8>{});
  for (std::size_t i = 0; i < hash.size(); ++i)
    hash[i] += mixed[i];
}

} // namespace

std::array<std::uint8_t, 32> sha256(std::string_view bytes) noexcept {
  state hash{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const auto bits = std::uint64_t{bytes.size()} * 8;
  for (; bytes.size() >= block_bytes; bytes.remove_prefix(block_bytes))
    mix_block(hash, reinterpret_cast<const std::uint8_t*>(bytes.data()));
  std::array<std::uint8_t, 2 * block_bytes> last{};
  // A one bit, zeros, and the length in bits in the last eight bytes.
  std::ranges::copy(bytes, last.begin());
  last[bytes.size()] = 0x80;
  const auto end = bytes.size() < block_bytes - 8 ? block_bytes
                                                  : 2 * block_bytes;
  for (std::size_t i = 0; i < 8; ++i)
    last[end - 1 - i] = static_cast<std::uint8_t>(bits >> (8 * i));
  for (std::size_t at = 0; at < end; at += block_bytes)
    mix_block(hash, last.data() + at);

  std::array<std::uint8_t, 32> out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::uint8_t>(hash[i / 4] >> (24 - 8 * (i % 4)));
  return out;
}

uuid hashed_uuid(std::string_view text) noexcept {
  const auto hash = sha256(text);
  uuid id;
  for (std::size_t i = 0; i < 8; ++i) {
    id.high = id.high << 8 | hash[i];
    id.low = id.low << 8 | hash[i + 8];
  }
  return as_v4(id);
}

} // namespace convene::protocol
