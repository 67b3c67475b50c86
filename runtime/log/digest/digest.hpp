#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

/// A context of libcrypto.
extern "C" struct evp_md_ctx_st;

namespace convene::host {

/// 32 bytes: a SHA-256 or an HMAC-SHA256.
using digest_bytes = std::array<std::uint8_t, 32>;

/// SHA-256 of bytes that come in pieces (FIPS 180-4). All functions here throw
/// `std::bad_alloc` if there is no memory, and `std::runtime_error` if
/// libcrypto has no SHA-256.
class digest {
public:
  digest();

  void add(std::string_view bytes);

  /// Of all that was added; nothing may be added after it.
  [[nodiscard]] digest_bytes finish();
  /// The same as 64 lower-case hexadecimal digits.
  [[nodiscard]] std::string finish_hex();

private:
  struct free_context {
    void operator()(evp_md_ctx_st* context) const noexcept;
  };

  std::unique_ptr<evp_md_ctx_st, free_context> context_;
};

/// SHA-256 of a text. Thread-safe, like the others.
[[nodiscard]] digest_bytes digest_of(std::string_view text);
[[nodiscard]] std::string hex_digest_of(std::string_view text);

/// HMAC-SHA256 (RFC 2104).
[[nodiscard]] digest_bytes hmac_sha256(std::string_view key,
                                       std::string_view text);

} // namespace convene::host
