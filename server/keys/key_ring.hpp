#pragma once

#include <convene/server/http/request.hpp>
#include <convene/server/keys/key_file.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace convene::server {

/// Who has which key. Thread-safe.
class key_ring {
public:
  explicit key_ring(std::vector<stored_key> keys) : keys_{std::move(keys)} {}

  /// The caller that a key is of; nothing: it is no key. Takes as long whatever
  /// the key has in common with others.
  [[nodiscard]] std::optional<caller> find(std::string_view key) const;

  /// Whether there is the caller's key, and it is still as they are.
  [[nodiscard]] bool holds(const caller& who) const;

private:
  std::vector<stored_key> keys_;
};

/// Who somebody is where nobody has keys: everything is allowed.
[[nodiscard]] caller everybody();

} // namespace convene::server
