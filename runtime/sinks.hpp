#pragma once

#include <convene/actors/ports.hpp>
#include <convene/runtime/event_log/writer.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <string>

namespace convene::host {

/// Events go to the log, or nowhere.
class log_sink final : public actors::event_sink {
public:
  /// `log` may be null.
  explicit log_sink(std::unique_ptr<event_log_writer> log)
    : log_(std::move(log)) {}

  protocol::result<void> append(std::string_view,
                                std::string_view lines) override {
    if (log_)
      if (auto kept = log_->append(lines); !kept)
        return protocol::fail(std::move(kept).error());
    return {};
  }

  protocol::result<void> flush() {
    return log_ ? log_->flush() : protocol::result<void>{};
  }

  protocol::result<void> close() {
    return log_ ? log_->close() : protocol::result<void>{};
  }

private:
  std::unique_ptr<event_log_writer> log_;
};

/// Shows one session's events to somebody once they are on the log.
class observed_sink final : public actors::event_sink {
public:
  using watcher = std::function<void(std::string_view, std::string_view)>;

  observed_sink(actors::event_sink& next, watcher watch)
    : next_(next), watch_(std::move(watch)) {}

  protocol::result<void> append(std::string_view session_id,
                                std::string_view lines) override {
    auto kept = next_.append(session_id, lines);
    return kept ? show(session_id, lines) : kept;
  }

private:
  protocol::result<void> show(std::string_view session_id,
                              std::string_view lines) {
    std::string why = "something that is no std::exception";
    try {
      watch_(session_id, lines);
      return {};
    } catch (const std::exception& thrown) {
      why = thrown.what();
    } catch (...) {
      // nop
    }
    return protocol::fail(protocol::errc::internal,
                          "the observer threw: " + why);
  }

  actors::event_sink& next_;
  watcher watch_;
};

} // namespace convene::host
