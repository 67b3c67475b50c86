#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::session {

namespace json = boost::json;

/// A failure that a session's log shows.
struct failure {
  std::string_view rule; ///< step_repetition, missed_termination, ...
  std::string_view mast; ///< MAST's number for it; empty: none
  std::string participant;
  std::uint64_t event = 0; ///< at which it shows, in the session, from 1
  std::string event_id;    ///< of that event
  std::string message;
};

/// Findings of a session that are kept; further ones are only counted.
inline constexpr std::size_t failures_max = 50;

/// Reads off one session's events, in their order, the failures that
/// docs/inspect.md lists. An event that is not what docs/events.md says is
/// passed over.
class failure_rules {
public:
  void add(const json::object& event);

  [[nodiscard]] const std::vector<failure>& found() const noexcept {
    return found_;
  }
  [[nodiscard]] std::uint64_t total() const noexcept {
    return total_;
  }

private:
  /// What somebody said in answer to a task.
  struct answer {
    std::size_t content = 0; ///< its hash
    std::size_t task = 0;
    friend bool operator==(const answer&, const answer&) = default;
  };
  /// The answers of one participant.
  struct speaker {
    std::optional<answer> last;
    std::size_t in_a_row = 0;
    std::optional<std::size_t> first;  ///< the first answer's content
    std::optional<std::size_t> second; ///< the next one that differs from it
    bool has_gone_on = false;          ///< to something else
    bool is_back_at_first = false;
    bool was_reset = false;
  };
  struct version {
    std::uint64_t at = 0; ///< the event's place in the session
    std::string writer;
  };
  struct resource {
    std::int64_t newest = 1;
    std::vector<version> versions; ///< the latest ones, up to `newest`
  };
  struct open_request {
    std::uint64_t at = 0;
    std::size_t task = 0;
    bool has_written = false;
    std::map<std::string, std::size_t, std::less<>> actions; ///< completed
  };
  using by_name = std::map<std::string, std::string, std::less<>>;

  static void note(by_name& all, std::string_view name, std::string_view value);
  void take_plan(const json::object& plan);
  void take_dispatch(const json::object& payload);
  void take_broadcast(const json::object& payload);
  void take_answer(const json::object& payload, std::string_view who,
                   std::string_view token, std::string_view status);
  void hear(const std::string& who, const answer& said,
            const std::string& content, bool has_done_more);
  void take_action_start(const json::object& event,
                         const json::object& payload);
  void take_action_end(const json::object& event, const json::object& payload);
  void take_write(const json::object& payload);
  void take_conflict(const json::object& payload);
  void take_step(const json::object& payload);
  void take_end(const json::object& payload);
  void find(std::string_view rule, std::string_view mast,
            std::string_view participant, std::string message);

  std::uint64_t place_ = 0;
  std::string event_id_;
  std::map<std::string, speaker, std::less<>> speakers_;
  std::map<std::string, resource, std::less<>> resources_;
  std::map<std::string, open_request, std::less<>> requests_; ///< by token
  std::vector<std::string> broadcasts_; ///< the latest ones
  by_name actions_;  ///< what each attempt does, by execution_id
  by_name steps_;    ///< the status of each step of the plan
  by_name handoffs_; ///< those that nobody took up yet: the receiver
  std::vector<failure> found_;
  std::uint64_t total_ = 0;
  bool has_end_ = false;
};

} // namespace convene::session
