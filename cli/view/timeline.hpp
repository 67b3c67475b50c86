#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/documents/common.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace convene::cli {

struct timeline_style {
  bool colour = false;
  std::size_t columns = 100; ///< of the whole line
  bool verbose = false;      ///< shows every change of a step and the plan
};

/// Turns one session's events, in their order, into lines for a person: time
/// since the start, turn, who, what, and the beginning of what was said.
/// Everything from outside is made neutral; a line fits the columns where there
/// are at least 60.
class timeline {
public:
  explicit timeline(timeline_style style) : style_(style) {}

  /// The lines for one event, each with its line end; empty for an event that
  /// has nothing to show, or that is not what docs/events.md says.
  [[nodiscard]] std::string show(const protocol::json::object& event);

private:
  /// What is in the columns of a line.
  struct row {
    std::int64_t turn = 0; ///< 0: none
    std::string who;
    std::string what;
    std::string text;
    std::string_view colour; ///< of `what`
  };

  [[nodiscard]] std::string line(const row& of) const;
  [[nodiscard]] std::string started(const protocol::json::object& payload);
  void assigned(const protocol::json::object& payload);
  [[nodiscard]] std::string task_of(const protocol::json::object& payload);
  [[nodiscard]] std::string stage(const protocol::json::object& event);
  [[nodiscard]] std::string
  completed(const protocol::json::object& payload) const;

  timeline_style style_;
  std::optional<protocol::timestamp_ms> start_;
  protocol::timestamp_ms now_ = 0;
  std::string last_task_;
  std::size_t who_columns_ = 12;
  std::size_t steps_total_ = 0;
  std::size_t steps_closed_ = 0;
};

} // namespace convene::cli
