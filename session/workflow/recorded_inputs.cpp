#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/workflow/node_config.hpp>
#include <convene/session/workflow/children.hpp>
#include <convene/session/workflow/recorded_inputs.hpp>

#include <map>
#include <utility>

namespace convene::session {
namespace {

using namespace protocol;
using type = workflow_event_type;

/// Reads the inputs off one event after the other.
class input_reader {
public:
  explicit input_reader(const std::vector<run_event>& log) : log_{log} {}

  std::optional<run_input> read(std::size_t place) {
    const auto& event = log_[place];
    const auto* const payload = event.payload.held.if_object();
    if (payload == nullptr)
      return std::nullopt;
    if (event.type == "conversation.exchanged")
      return answer(event, {{"operation", "exchange"},
                            {"turn", value_of(*payload, "turn")}});
    if (event.type == "conversation.closed")
      return close(place, *payload);
    const auto known = from_word<type>(event.type);
    if (!known)
      return std::nullopt;
    switch (*known) {
      case type::run_started:
        return start(event);
      case type::run_cancelled:
        return cancel_run{std::string{text_of(*payload, "reason")},
                          maybe_text(*payload, "cancelledBy")};
      case type::run_paused:
        return pause_run{std::string{text_of(*payload, "reason")},
                         std::string{text_of(*payload, "policy")}};
      case type::run_resumed:
        return resume_run{std::string{text_of(*payload, "reason")}};
      case type::node_started:
        types_[event.node_id.value_or("")] = text_of(*payload, "typeId");
        children_.erase(event.node_id.value_or(""));
        return std::nullopt;
      case type::variable_changed:
        children_[event.node_id.value_or("")]
                 [text_of(*payload, "childVariable")]
          = value_of(*payload, "value");
        return std::nullopt;
      case type::node_dispatched:
        return child_end(event, *payload, true);
      case type::node_completed:
      case type::node_failed:
        if (children_.contains(event.node_id.value_or("")))
          return child_end(event, *payload, false);
        return session_end(event, *payload);
      case type::interrupt_resolved:
        if (text_of(*payload, "kind") == "conversation.start")
          return std::nullopt; // the close before it
        return resolve_interrupt{event.node_id.value_or(""),
                                 value_of(*payload, "resumeValue"),
                                 maybe_text(*payload, "resolvedBy")};
      default:
        return std::nullopt;
    }
  }

private:
  static json::value value_of(const json::object& from, const char* name) {
    const auto* const found = from.if_contains(name);
    return found == nullptr ? json::value{} : *found;
  }

  static std::optional<std::string> maybe_text(const json::object& from,
                                               const char* name) {
    if (!from.contains(name))
      return std::nullopt;
    return std::string{text_of(from, name)};
  }

  static resolve_interrupt answer(const run_event& event, json::value value,
                                  std::optional<std::string> by = {}) {
    return {event.node_id.value_or(""), std::move(value), std::move(by)};
  }

  static std::optional<run_input> start(const run_event& event) {
    const auto read = decode<run_started>(event.payload.held);
    if (!read)
      return std::nullopt;
    return start_run{.inputs = read->inputs,
                     .configurable = read->configurable,
                     .tags = read->tags,
                     .metadata = read->metadata,
                     .transport = read->transport,
                     .callback_digest = read->callback_digest};
  }

  /// A close by an answer. What timed out follows from the time, and what was
  /// cancelled from the run's end.
  std::optional<run_input> close(std::size_t place,
                                 const json::object& payload) const {
    if (place + 1 >= log_.size()
        || log_[place + 1].type != to_word(type::interrupt_resolved))
      return std::nullopt;
    json::object value{{"operation", "close"}};
    const auto& turn = object_of(payload, "finalTurn");
    if (text_of(turn, "role") != "system")
      value["turn"] = turn;
    if (payload.contains("outcome"))
      value["outcome"] = value_of(payload, "outcome");
    const auto* const resolved = log_[place + 1].payload.held.if_object();
    return answer(log_[place], std::move(value),
                  resolved ? maybe_text(*resolved, "resolvedBy")
                           : std::nullopt);
  }

  std::optional<run_input> session_end(const run_event& event,
                                       const json::object& payload) const {
    const auto node = types_.find(event.node_id.value_or(""));
    if (node == types_.end() || node->second != to_word(node_type::session))
      return std::nullopt;
    session_ended made{.node_id = node->first};
    const auto& error = object_of(payload, "error");
    const auto code = text_of(error, "code");
    if (event.type == to_word(type::node_completed))
      made.result = object_of(object_of(payload, "outputs"), "result");
    else if (code == "session_failed" || code == "session_cancelled")
      made.outcome = code == "session_failed" ? session_outcome::failed
                                              : session_outcome::cancelled;
    else
      return std::nullopt;
    made.message = text_of(error, "message");
    return made;
  }

  /// The end of the child run before this event, if there is one: each further
  /// one, and the node's end, comes after it.
  std::optional<run_input>
  child_end(const run_event& event, const json::object& payload, bool goes_on) {
    const auto& node = event.node_id.value_or("");
    const auto [child, is_first] = children_.try_emplace(node);
    if (goes_on && is_first)
      return std::nullopt;
    child_ended made{.node_id = node,
                     .variables = std::exchange(child->second, {})};
    const auto& error = object_of(payload, "error");
    made.code = text_of(error, "code");
    made.message = text_of(error, "message");
    const auto status = text_of(object_of(payload, "outputs"), "childStatus");
    if (made.code == child_cancelled_code || status == "cancelled")
      made.outcome = session_outcome::cancelled;
    else if (event.type == to_word(type::node_failed) || status == "failed")
      made.outcome = session_outcome::failed;
    // A failure of the child itself has that code, or was absorbed.
    made.is_unfit = !made.code.empty() && made.code != child_failed_code
                    && made.code != child_cancelled_code;
    return made;
  }

  const std::vector<run_event>& log_;
  /// What the latest child run of a node gave, by its own names.
  std::map<std::string, json::object, std::less<>> children_;
  std::map<std::string, std::string, std::less<>> types_; ///< of nodes
};

} // namespace

std::vector<recorded_run_input>
recorded_inputs(const std::vector<run_event>& log, std::size_t from) {
  std::vector<recorded_run_input> made;
  input_reader reader{log};
  for (std::size_t i = 0; i < log.size(); ++i) {
    auto input = reader.read(i);
    if (i < from)
      continue;
    const auto at = parse_timestamp(log[i].timestamp).value_or(0);
    if (input || made.empty() || made.back().at != at)
      made.push_back({at, i, std::move(input)});
  }
  return made;
}

} // namespace convene::session
