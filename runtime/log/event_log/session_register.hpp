#pragma once

#include <convene/runtime/log/event_log/log_options.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace convene::host {

/// The ids of the sessions that are on a log or about to be, each once. As a
/// companion of a log that removes segments, it forgets an id with the segment
/// that has the session's end, so it does not grow with the sessions that such
/// a log has ever had. Thread-safe.
class session_register final : public log_companion {
public:
  /// False if the id is there already.
  [[nodiscard]] bool add(std::string_view id);

  /// Takes back an id whose session did not begin.
  void take_back(std::string_view id);

  [[nodiscard]] std::size_t size() const;

  void saw(std::uint32_t segment, std::string_view line) override;
  void opened() override;
  void removed(std::uint32_t through) override;

private:
  mutable std::mutex mutex_;
  std::unordered_set<std::string> ids_; ///< guarded by mutex, like the next
  std::map<std::uint32_t, std::vector<std::string>> ended_; ///< by segment
};

} // namespace convene::host
