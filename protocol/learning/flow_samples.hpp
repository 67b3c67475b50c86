#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/events/learning_samples.hpp>
#include <convene/protocol/learning/collection_point.hpp>
#include <convene/protocol/learning/sample_text.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace convene::protocol {

/// The most samples of one flow; what would follow is only counted.
inline constexpr std::size_t flow_samples_max = 20'000;

/// A graph_update is significant if it removes nodes, or adds and removes at
/// least this many nodes and edges together.
inline constexpr std::int64_t significant_changes = 5;

/// Makes learning samples (schemas/v2/learning) of the events of one flow, in
/// their order: a session as its log has it, a single agent's run, or events of
/// the twelve families without a session. docs/learning.md says which event
/// gives which sample. A pure function of the events: ids of samples follow
/// from theirs.
class flow_samples {
public:
  explicit flow_samples(bool scrub) : text_{scrub} {}

  /// The samples that an event completes. One without a UUID and a time, or
  /// that is not what docs/events.md says, gives none.
  [[nodiscard]] std::vector<boost::json::object>
  feed(const boost::json::object& event);

  /// The flow is over, or nothing more is known of it: what was waiting for
  /// more.
  [[nodiscard]] std::vector<boost::json::object> finish();

  /// Samples beyond `flow_samples_max`.
  [[nodiscard]] std::uint64_t left_out() const noexcept {
    return made_ < flow_samples_max ? 0 : made_ - flow_samples_max;
  }

private:
  using object = boost::json::object;
  using output = std::vector<object>;

  /// The event that is being read.
  struct cause {
    const object& event;
    std::string_view type;
    const object& payload;
    uuid id;
    std::string_view at;
    output& to;
  };

  /// A wished-for change, until its effect is known.
  struct open_delta {
    uuid id; ///< of its event
    std::string at;
    std::string delta_id;
    std::string intent_id;
    std::string summary;
    std::optional<delta_type> type;
    std::vector<std::string> effects; ///< ids of events, the first ones
    std::set<std::string, std::less<>> modules;
    std::int64_t nodes = 0;
    bool compensation_required = false;
    bool compensation_applied = false;
  };

  /// An execution that began.
  struct beginning {
    std::string step_id;
    std::optional<timestamp_ms> at;
  };

  // flow_samples.cpp. `number`: of several at a point of one event; `effects`:
  // further events that the sample was made of.
  template <class Sample>
  void add(output& to, Sample made, collection_point point, const uuid& of,
           std::string_view at, std::uint64_t number = 0,
           const std::vector<std::string>& effects = {});
  void read_profile(const cause& why);
  void read_family(const cause& why, std::string_view family);

  // intent_points.cpp
  void start_session(const cause& why);
  void load_context(const cause& why);
  void evaluate_plan(const cause& why);
  void take_intent(const cause& why);
  void resolve_intent(const cause& why, std::string_view resolved);
  void generate_plan(const cause& why, std::string_view plan_id,
                     std::string_view intent, std::int64_t steps);
  void note_plan(const cause& why);

  // delta_points.cpp
  void take_delta(const cause& why);
  void revise_plan(const cause& why, const object& step, delta_type type);
  void analyse_impact(const cause& why);
  void take_compensation(const cause& why);
  void note_effect(const cause& why);
  void close_delta(output& to);

  // outcome_points.cpp
  void end_execution(const cause& why, std::string_view stage_id,
                     object stage_config, object result);
  void begin_turn(const cause& why);
  void end_turn(const cause& why);
  void begin_agent_step(const cause& why);
  void end_agent_step(const cause& why);
  void end_family_execution(const cause& why);
  void fail_stage(const cause& why);
  void decide(const cause& why);
  void take_decisions(const cause& why, const object& confirm);
  void add_decision(const cause& why, object input, std::string_view decision,
                    std::string_view by, std::string_view reason,
                    std::uint64_t number);
  void update_graph(const cause& why);
  void end_session(const cause& why);

  sample_text text_;
  std::uint64_t made_ = 0;
  std::string flow_id_;
  std::string project_id_; ///< of the Context, if that is a UUID
  std::string request_;    ///< the latest, what it says
  std::string intent_id_;
  std::string intent_event_; ///< the event that has it
  std::string constraints_;  ///< their names
  std::string plan_id_;
  std::set<std::string, std::less<>> plans_;
  std::int64_t intents_ = 0;
  std::int64_t clarifications_ = 0;
  std::int64_t nodes_ = 0; ///< as far as graph_update events count them
  std::int64_t edges_ = 0;
  std::string mode_;
  std::string initiator_;
  std::int64_t participants_ = 0;
  std::int64_t failures_ = 0; ///< of turns, answers and steps
  std::map<std::string, beginning, std::less<>> open_;
  std::optional<open_delta> delta_;
};

} // namespace convene::protocol
