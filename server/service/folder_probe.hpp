#pragma once

#include <convene/runtime/blocking_pool/blocking_pool.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace convene::server {

/// Why nothing can be written to the file system of a folder: it is read-only,
/// almost full (less than `free_bytes_min`), or refuses a small file. Empty: it
/// can.
[[nodiscard]] std::string why_not_writable(const std::filesystem::path& folder);

inline constexpr std::uintmax_t free_bytes_min = 1 << 20;

/// Asks that about one folder, once a second at most, on a thread of its own: a
/// file system may hang. Thread-safe.
class folder_probe {
public:
  using taker = std::function<void(const std::string&)>;

  explicit folder_probe(std::filesystem::path folder)
    : state_{std::make_shared<state>(std::move(folder))} {}

  /// Calls `then` with the reason, now or on another thread. Calls it never, if
  /// the file system does not answer or too many ask.
  void ask(taker then);

private:
  using clock = std::chrono::steady_clock;

  /// What a look that hangs may outlive the probe with.
  struct state {
    explicit state(std::filesystem::path of) : folder{std::move(of)} {}
    void look();

    const std::filesystem::path folder;
    std::mutex mutex; ///< guards what follows
    std::vector<taker> waiting;
    bool is_looking = false;
    std::string why;
    clock::time_point until; ///< it counts that long
  };

  const std::shared_ptr<state> state_;
  host::blocking_pool pool_{{.threads = 1, .queue = 1}};
};

} // namespace convene::server
