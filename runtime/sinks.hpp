#pragma once

#include <convene/actors/ports/ports.hpp>
#include <convene/runtime/log/event_bus/event_bus.hpp>
#include <convene/runtime/log/event_log/log_counts.hpp>
#include <convene/runtime/log/event_log/writer.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

namespace convene {
struct runtime_options;
}

namespace convene::host {

/// How a runtime with these options writes its log.
[[nodiscard]] log_options log_options_for(const runtime_options& how);

/// Writes events to the log, or nowhere. With durability `none` they are
/// durable at once, unless the log cannot keep up.
class log_sink final : public actors::event_sink {
public:
  /// `log` may be null. If `waits`, asking whether events are durable blocks
  /// until they are, and it is never congested: for virtual time, which must
  /// not pass meanwhile, and where nothing may depend on the disk's speed.
  log_sink(std::unique_ptr<event_log_writer> log,
           protocol::durability durability, bool waits);

  protocol::result<void> append(std::string_view session_id,
                                std::string_view lines,
                                std::size_t count) override;
  [[nodiscard]] bool congested() const noexcept override;
  [[nodiscard]] bool is_durable(actors::when_kept&& then) override;

  protocol::result<void> flush();
  protocol::result<void> flush_closed(); ///< as `event_log_writer` says
  protocol::result<void> close();

  [[nodiscard]] log_counts counts() const {
    return log_ ? counts_of(*log_) : log_counts{};
  }

  /// The lines between these places, whole appends, will not be on the log.
  void refused(log_position begin, log_position end) {
    bus_.refused(begin, end);
  }

  /// To what is appended from now on, once it is acknowledged.
  [[nodiscard]] protocol::result<subscription>
  subscribe(subscription_options how);

private:
  event_bus bus_; ///< before the log, whose thread uses it
  std::unique_ptr<event_log_writer> log_;
  std::atomic<event_bus::place> appended_ = 0; ///< where there is no log
  protocol::durability durability_;
  bool waits_;
};

/// Wraps another sink, which answers what a session asks of its log.
class sink_before : public actors::event_sink {
public:
  [[nodiscard]] bool congested() const noexcept final {
    return next_.congested();
  }

  [[nodiscard]] bool is_durable(actors::when_kept&& then) final {
    return next_.is_durable(std::move(then));
  }

protected:
  explicit sink_before(actors::event_sink& next) : next_(next) {}

  actors::event_sink& next() noexcept {
    return next_;
  }

private:
  actors::event_sink& next_;
};

/// Passes one session's events to an observer once they are on the log.
class observed_sink final : public sink_before {
public:
  using watcher = std::function<void(std::string_view, std::string_view)>;

  observed_sink(actors::event_sink& next, watcher watch)
    : sink_before(next), watch_(std::move(watch)) {}

  protocol::result<void> append(std::string_view session_id,
                                std::string_view lines,
                                std::size_t count) override;

private:
  protocol::result<void> show(std::string_view session_id,
                              std::string_view lines);

  watcher watch_;
};

} // namespace convene::host
