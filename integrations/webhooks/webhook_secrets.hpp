#pragma once

#include <convene/protocol/base/error.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace convene::server {

/// The secrets by which sources sign what they send.
class webhook_secrets {
public:
  /// A file for each source in a folder, by its name: 1 to 200 letters, digits,
  /// `.`, `_` and `-`, and no `.` first. Errors with the file: rule `source`
  /// for another name, those of `read_secret`, `webhook_secrets_max`.
  [[nodiscard]] static protocol::result<webhook_secrets>
  open(const std::filesystem::path& folder);

  /// Whether a signature, `sha256=` and the HMAC in hexadecimal, is that of
  /// this source over this text. Takes as long for a source that is not known.
  [[nodiscard]] bool is_signed(std::string_view source, std::string_view text,
                               std::string_view signature) const;

  static constexpr std::size_t sources_max = 100;

private:
  std::map<std::string, std::string, std::less<>> all_;
};

} // namespace convene::server
