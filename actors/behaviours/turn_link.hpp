#pragma once

#include <convene/actors/behaviours/blob_store.hpp>
#include <convene/protocol/documents/action.hpp>
#include <convene/protocol/documents/reply.hpp>

#include <cstdint>
#include <string>

namespace convene::actors {

/// How a live turn reaches its session. Thread-safe; may outlive the session,
/// which then gets nothing. What one thread sends arrives in order.
class turn_link {
public:
  virtual ~turn_link() = default;

  /// Where values are kept that are too large for the log; null: nowhere, they
  /// are refused. Lives as long as this.
  [[nodiscard]] virtual blob_store* blobs() {
    return nullptr;
  }

  /// The writes and claims of `what`.
  virtual void write(protocol::reply what) = 0;
  virtual void answer(protocol::reply what) = 0;

  /// Ends the session as cancelled.
  virtual void cancel_session(const std::string&) {
    // nop
  }

  /// An attempt at `what` wants to begin. True: it may, at once. False:
  /// `turn_actions::started` or `refused` will tell.
  [[nodiscard]] virtual bool begin(protocol::action what, std::uint32_t attempt)
    = 0;
  virtual void end(std::string position, std::uint32_t attempt,
                   protocol::action_result result)
    = 0;
  /// Has `turn_actions::due` called with the first two after this time. False:
  /// it will not be.
  [[nodiscard]] virtual bool
  call_later(std::string position, std::uint64_t run, std::int64_t delay_ms)
    = 0;
};

} // namespace convene::actors
