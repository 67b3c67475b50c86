#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/server/a2a/push_config.hpp>
#include <convene/server/run_callbacks/private_folder.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::server {

/// Whether a file of the folder below has push notification configs.
[[nodiscard]] protocol::result<void>
check_push(const std::filesystem::path& file);

/// The push notification configs of all tasks, in memory and on disk.
/// Thread-safe, except for `save`, which is for one thread at a time.
class push_book {
public:
  static constexpr std::size_t configs_max = 10'000;
  static constexpr std::size_t configs_of_task_max = 8;

  struct entry {
    push_config what;
    std::uint64_t number = 0; ///< no other entry has had it
  };

  /// Loads the folder.
  explicit push_book(private_folder in);

  /// Adds a config to those of a task, in place of one with the same id.
  /// Returns its number; rule `push_configs_max` if there is no room.
  protocol::result<std::uint64_t> put(const std::string& task,
                                      push_config what);

  [[nodiscard]] std::vector<entry> of(std::string_view task) const;
  [[nodiscard]] std::optional<push_config> find(std::string_view task,
                                                std::uint64_t number) const;
  [[nodiscard]] bool has(std::string_view task) const;
  [[nodiscard]] std::vector<std::string> tasks() const;

  /// Its client has received the update at `place`, and all before.
  void delivered(std::string_view task, std::uint64_t number,
                 std::size_t place);

  void remove(std::string_view task,
              const std::function<bool(const entry&)>& which);

  /// Writes what there is of a task to disk.
  [[nodiscard]] protocol::result<void> save(const std::string& task) const;

private:
  const private_folder files_;
  mutable std::mutex mutex_; ///< guards what follows
  std::map<std::string, std::vector<entry>, std::less<>> by_task_;
  std::size_t count_ = 0;
  std::uint64_t last_number_ = 0;
};

} // namespace convene::server
