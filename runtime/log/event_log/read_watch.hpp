#pragma once

#include <cstdint>
#include <functional>

namespace convene::host {

/// While one exists, `visit_log` and `visit_sessions` on its thread report how
/// much of a log they have read: at most once each 64 KiB. One reading after
/// the other begins at 0 again.
class read_watch {
public:
  using report = std::function<void(std::uint64_t bytes, std::uint64_t all)>;

  explicit read_watch(report told);
  ~read_watch();

  read_watch(const read_watch&) = delete;
  read_watch& operator=(const read_watch&) = delete;

  /// That of this thread; null: none.
  [[nodiscard]] static const report* current() noexcept;

private:
  report told_;
  const report* before_;
};

} // namespace convene::host
