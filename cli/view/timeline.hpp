#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/documents/common.hpp>
#include <convene/runtime/data/scenario/turn_failures.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::cli {

struct timeline_style {
  bool colour = false;
  std::size_t columns = 100; ///< of the whole line
  /// Shows every change of a step and the plan, and the arguments of actions.
  bool verbose = false;
  /// Shows errors in full, all their lines in one, however long it gets.
  bool whole_errors = false;
};

/// Somebody who is at work, for a line that changes.
struct worker {
  std::string name;
  std::int64_t seconds = 0;
  std::string does;
  std::string says; ///< the row that has not ended yet; may be empty
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

  /// A line, with its end, for what somebody says while they say it.
  [[nodiscard]] std::string said(std::string_view who,
                                 std::string_view words) const;

  /// How many columns of words fit into such a line.
  [[nodiscard]] std::size_t text_columns() const noexcept;

  /// A line of at most `columns`, without its end, for somebody at work.
  [[nodiscard]] std::string at_work(const worker& who,
                                    std::size_t columns) const;

private:
  /// What is in the columns of a line.
  struct row {
    std::int64_t turn = 0; ///< 0: none
    std::string who;
    std::string what;
    std::string text;
    std::string_view colour; ///< of `what`
    bool is_error = false;   ///< of `text`
  };

  /// What is under way outside.
  struct acting {
    std::string words;
    bool is_model = false;
  };

  [[nodiscard]] std::string line(const row& of) const;
  [[nodiscard]] std::string line_at(std::string_view time, const row& of,
                                    std::size_t columns) const;
  [[nodiscard]] std::size_t columns_before_text() const noexcept;
  [[nodiscard]] std::string details(std::string_view what,
                                    const std::string& words,
                                    std::size_t rows_max = 4) const;
  [[nodiscard]] std::string started(const protocol::json::object& payload);
  void assigned(const protocol::json::object& payload);
  [[nodiscard]] std::string task_of(const protocol::json::object& payload);
  [[nodiscard]] std::string talk(std::string_view type,
                                 const protocol::json::object& payload);
  [[nodiscard]] std::string trouble(std::string_view type,
                                    const protocol::json::object& payload);
  [[nodiscard]] std::string stage(const protocol::json::object& event);
  [[nodiscard]] std::string failure_lines() const;
  [[nodiscard]] std::string
  completed(const protocol::json::object& payload) const;

  [[nodiscard]] std::string answered(row of,
                                     const protocol::json::object& by) const;
  [[nodiscard]] std::string begins(const protocol::json::object& event);
  [[nodiscard]] std::string ends(const protocol::json::object& event);

  timeline_style style_;
  std::optional<protocol::timestamp_ms> start_;
  protocol::timestamp_ms now_ = 0;
  std::string last_task_;
  std::map<std::string, acting> acting_; ///< by execution_id
  host::turn_failures failures_;
  std::size_t who_columns_ = 12;
  std::size_t steps_total_ = 0;
  std::size_t steps_closed_ = 0;
};

} // namespace convene::cli
