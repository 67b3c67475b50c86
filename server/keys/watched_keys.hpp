#pragma once

#include <convene/server/http/request.hpp>
#include <convene/server/keys/key_ring.hpp>
#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace convene::server {

/// The keys of a file, which may change. Thread-safe.
class watched_keys {
public:
  /// Errors are those of `read_keys`.
  [[nodiscard]] static protocol::result<std::unique_ptr<watched_keys>>
  open(std::filesystem::path file);

  /// The caller that a key is of; nothing: it is no key.
  [[nodiscard]] std::optional<caller> find(std::string_view key) const;

  /// Whether the caller's key is still there and allows the same.
  [[nodiscard]] bool holds(const caller& who) const;

  /// Reads the file again if it was changed; true: there are other keys now. A
  /// file that cannot be read changes nothing and is read again next time; the
  /// diagnostics say so once.
  [[nodiscard]] bool refresh();

private:
  /// What tells one state of the file from another.
  using signature = std::optional<struct stat>;

  explicit watched_keys(std::filesystem::path file);
  [[nodiscard]] std::shared_ptr<const key_ring> ring() const;

  const std::filesystem::path file_;
  mutable std::mutex mutex_; ///< guards what follows
  signature seen_;
  std::string told_; ///< why the file cannot be read
  std::shared_ptr<const key_ring> ring_;
};

} // namespace convene::server
