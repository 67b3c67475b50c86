#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/reply.hpp>
#include <convene/session/ending/progress.hpp>
#include <convene/session/options/end_condition.hpp>
#include <convene/session/plan/plan_book.hpp>
#include <convene/session/workspace/view.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace convene::protocol::validation {
struct pattern;
}

namespace convene::session {

/// Bounds of one session's conditions, as rules of errc::limit_reached.
inline constexpr std::size_t conditions_max = 256;
inline constexpr std::size_t condition_depth_max = 16;

/// Input to a condition. Valid during one call.
struct observation {
  const session::progress* progress = nullptr;
  std::span<const participant_state> participants;
  std::size_t can_act = 0;
  const plan_book* plan = nullptr; ///< null: there is none
  const workspace_view* resources = nullptr;
  protocol::usage usage;
  protocol::timestamp_ms now = 0;
  protocol::timestamp_ms started_at = 0; ///< later by the time suspended
  bool stopped = false;
};

/// Which condition held, and what was observed: a stop_reason.
struct held {
  std::string_view condition; ///< a constant: "turns", "text", "all", ...
  std::string observed;
  std::int64_t limit = -1; ///< below 0: none
};

/// A session's `end`, checked and compiled. Evaluation takes time linear in its
/// conditions, and in the participants if votes are counted.
class ending {
public:
  /// An ending that never comes.
  ending() = default;

  /// Whether it never comes.
  [[nodiscard]] bool empty() const noexcept {
    return nodes_.empty();
  }

  /// Records which texts and whose replies have matched.
  void record_reply(const participant_state& who, std::string_view content);

  /// Applies a verdict of the application to the conditions of this name.
  /// False: there is none.
  bool rule(std::string_view name, bool holds, std::string_view observed);

  /// The names of the conditions awaiting verdicts, each once.
  [[nodiscard]] CONVENE_API std::vector<std::string> customs() const;

  /// Whether the session is over, and why.
  [[nodiscard]] std::optional<held> check(const observation& now) const;

  /// The next time, after `now`, at which time alone may change the result of
  /// `check`.
  [[nodiscard]] std::optional<protocol::timestamp_ms>
  next_time(const observation& now) const;

  /// Whether a condition waits for a request to stop.
  [[nodiscard]] bool knows_stop() const noexcept {
    return knows_stop_;
  }

  /// For snapshots: what has been recorded. The rest follows from the scenario.
  template <class Self, class F>
  static void fields(Self& x, F& f) {
    auto& [nodes, knows_stop] = x;
    f.fixed("nodes", nodes);
  }

private:
  enum class kind : std::uint8_t {
    all,
    any,
    none,
    turns,
    rounds,
    duration_ms,
    idle_ms,
    text,
    votes,
    plan,
    resource,
    tokens,
    cost_microusd,
    failures,
    no_progress,
    stopped,
    custom,
  };

  struct node {
    ending::kind kind = kind::all;
    std::vector<std::size_t> parts; ///< of `nodes_`
    std::int64_t limit = -1;
    double share = 0; ///< votes; 0: more than half
    std::string role;
    std::string name;            ///< custom
    resource_key resource;       ///< resource: its name
    protocol::json::value value; ///< resource: what it equals, without pattern
    std::shared_ptr<protocol::validation::pattern> pattern;
    /// text: who said what, once it was said; custom: what was observed
    std::string found;
    bool holds = false; ///< custom

    template <class Self, class F>
    static void fields(Self& x, F& f) {
      auto& [kind_, parts_, limit_, share_, role_, name_, resource_, value_,
             pattern_, found_, holds_]
        = x;
      f("found", found_);
      f("holds", holds_);
    }
  };

  friend class ending_reader;

  [[nodiscard]] std::optional<held> check(const node& what,
                                          const observation& now) const;
  [[nodiscard]] std::optional<held> check_parts(const node& what,
                                                const observation& now) const;
  [[nodiscard]] static std::optional<held>
  check_resource(const node& what, const observation& now);
  [[nodiscard]] std::optional<held> check_votes(const node& what,
                                                const observation& now) const;

  std::vector<node> nodes_; ///< the root first; empty: none
  bool knows_stop_ = false;
};

/// Reads `end` of a scenario. The first fault is errc::invalid_document, or
/// errc::limit_reached with rule `conditions_max` or `condition_depth_max`;
/// `pointer` is the location of `from`.
[[nodiscard]] protocol::result<ending>
make_ending(const end_condition& from, std::string_view pointer = "");

} // namespace convene::session
