#pragma once

#include <convene/protocol/base/error.hpp>

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace convene::server {

/// Bounds of the work that goes on.
struct share_limits {
  std::size_t key_max = 10'000; ///< pieces of work of one key
  std::size_t key_bytes_max = std::size_t{256} << 20;
  std::size_t bytes_max = std::size_t{4} << 30; ///< of all
};

/// What goes on in a server, sessions for example, counted for the key that
/// began it: how many pieces, and their bytes. Thread-safe.
class work_shares {
public:
  struct held {
    std::atomic<std::size_t> count = 0;
    std::atomic<std::size_t> bytes = 0;
  };

  /// One piece of work: counts until it is released or destroyed. Thread-safe.
  class share {
  public:
    /// `most`: bytes of the key, of which 0 is any number.
    share(std::shared_ptr<held> key, std::shared_ptr<held> all,
          std::size_t most);
    share(const share&) = delete;
    share& operator=(const share&) = delete;
    ~share() {
      release();
    }

    /// It has so many bytes more.
    void grow(std::size_t bytes) noexcept;

    /// It has ended: nothing of it counts any more.
    void release() noexcept;

    /// Whether its key has more bytes than it may.
    [[nodiscard]] bool is_over() const noexcept {
      return most_ != 0 && key_->bytes > most_;
    }

  private:
    const std::shared_ptr<held> key_;
    const std::shared_ptr<held> all_;
    const std::size_t most_;
    std::atomic<std::size_t> bytes_ = 0;
    std::atomic<bool> is_released_ = false;
  };

  /// `what`: the plural of one piece, for the rules of errors.
  work_shares(std::string what, share_limits limits)
    : what_{std::move(what)}, limits_{limits} {}

  /// A share of a key, for work that has so many bytes soon; of no key, it
  /// counts only for all. Errors,
  /// `limit_reached`: rules key_WHAT_max, key_WHAT_bytes_max, WHAT_bytes_max.
  [[nodiscard]] protocol::result<std::shared_ptr<share>>
  take(const std::string& key, std::size_t bytes = 0);

  /// The same, whatever there is already, for work that was there before.
  [[nodiscard]] std::shared_ptr<share> take_anyway();

private:
  const std::string what_;
  const share_limits limits_;
  const std::shared_ptr<held> all_ = std::make_shared<held>();
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<held>> keys_; ///< guarded by it
};

} // namespace convene::server
