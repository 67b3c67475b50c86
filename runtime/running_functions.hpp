#pragma once

#include <convene/actors/behaviours/turn_request.hpp>

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// The application's functions that run on the threads for blocking calls, also
/// those whose turns are over. Thread-safe.
class running_functions {
public:
  /// One call of a function, while it lasts. Calls of one thread end in the
  /// reverse order in which they began.
  class call {
  public:
    call(running_functions& among, const actors::turn_request& asked);
    call(const call&) = delete;
    call& operator=(const call&) = delete;
    ~call();

  private:
    friend class running_functions;

    running_functions& among_;
    const actors::turn_request& asked_;
    const call* outer_; ///< of the same thread; null: none
  };

  /// Whether the caller is called by a function in a turn of this session.
  [[nodiscard]] static bool runs_turn_of(std::string_view session_id);

  /// Whose functions run, in words: the first ones, by their participants and
  /// sessions, and how many more.
  [[nodiscard]] std::string names() const;

private:
  static thread_local const call* innermost;

  mutable std::mutex mutex_;
  std::vector<const call*> calls_; ///< guarded by mutex
};

} // namespace convene::host
