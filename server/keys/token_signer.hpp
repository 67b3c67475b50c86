#pragma once

#include <convene/protocol/base/error.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace convene::server {

/// Signs texts, so that who brings one back as a token got it here. What a text
/// says can be read by anybody who has the token.
class token_signer {
public:
  /// With the secret of a file that its owner alone can read; it is made if it
  /// is not there. Errors name the file; rule `token_secret` if it has none.
  [[nodiscard]] static protocol::result<token_signer>
  open(const std::filesystem::path& file);

  /// The text and its HMAC-SHA256, each in base64url, with a dot between them.
  [[nodiscard]] std::string sign(std::string_view text) const;

  /// The text of a token, if it was signed with this secret. Takes as long for
  /// any wrong signature.
  [[nodiscard]] std::optional<std::string> read(std::string_view token) const;

private:
  explicit token_signer(std::string secret) : secret_{std::move(secret)} {}

  std::string secret_;
};

} // namespace convene::server
