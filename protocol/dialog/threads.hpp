#pragma once

#include <convene/protocol/documents/dialog.hpp>

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convene::protocol {

/// Dialogs by the thread that they continue. Points into the dialogs, which
/// must outlive it and must not be moved.
class thread_index {
public:
  explicit thread_index(std::span<const dialog> dialogs);

  /// The dialogs of a thread, the earliest first; those without a start time
  /// come last, in their order. Empty for an unknown thread.
  [[nodiscard]] std::span<const dialog* const>
  find(std::string_view thread_id) const;

  /// The ids of all threads, in order.
  [[nodiscard]] std::vector<std::string_view> threads() const;

private:
  std::map<std::string, std::vector<const dialog*>, std::less<>> by_id_;
};

} // namespace convene::protocol
