#include <convene/cli/view/sequence_diagram.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>
#include <fmt/format.h>

#include <utility>

namespace convene::cli {
namespace {

namespace json = boost::json;
using protocol::integer_of;
using protocol::object_of;
using protocol::text_of;
using protocol::texts_of;

constexpr std::size_t label_columns = 80;
const std::string session_actor = "session";

/// What a reader sees as it is, whatever stands around it.
bool is_plain(char c) {
  constexpr std::string_view marks = " .,!?_'*=@&|$-/()";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
         || (c >= '0' && c <= '9') || marks.find(c) != marks.npos
         || static_cast<unsigned char>(c) >= 0x80;
}

/// A turn that was not done is shown with a cross.
std::string_view answer_arrow(std::string_view status) {
  return status == "completed" || status == "handed_off" ? "-->>" : "--x";
}

std::string turn_of(const json::object& payload) {
  const auto number = integer_of(payload, "turn_number");
  return number ? fmt::format("turn {}", *number) : std::string{"turn"};
}

} // namespace

std::string diagram_label(std::string_view text) {
  // A word that ends a block in the diagram's language.
  constexpr std::string_view reserved = "end";
  std::string label;
  for (const char c : fit(neutral(text), label_columns)) {
    if (is_plain(c))
      label += c;
    else
      label += fmt::format("#{};", static_cast<int>(c));
  }
  for (auto at = label.find(reserved); at != label.npos;
       at = label.find(reserved, at + 1))
    label.replace(at, 1, "#101;");
  return label;
}

void sequence_diagram::line(std::string text) {
  if (++lines_ > diagram_lines_max)
    ++hidden_;
  else
    body_ += "    " + std::move(text) + '\n';
}

const std::string& sequence_diagram::actor(std::string_view participant) {
  if (participant.empty())
    return session_actor;
  if (const auto known = actors_.find(participant); known != actors_.end())
    return known->second;
  // Beyond the lines nothing is shown, and no list of actors may grow.
  if (actors_.size() >= diagram_lines_max)
    return session_actor;
  const auto name = fmt::format("p{}", actors_.size() + 1);
  heads_ += fmt::format("    participant {} as {}\n", name,
                        diagram_label(participant));
  return actors_.emplace(participant, name).first->second;
}

void sequence_diagram::arrow(const std::string& from, std::string_view arrow,
                             const std::string& to, std::string_view what,
                             std::string_view said) {
  const auto colon = said.empty() ? "" : "#58; ";
  line(fmt::format("{}{}{}: {}{}{}", from, arrow, to, diagram_label(what),
                   colon, diagram_label(said)));
}

void sequence_diagram::note(const std::string& over, std::string_view what,
                            std::string_view said) {
  const auto colon = said.empty() ? "" : "#58; ";
  line(fmt::format("Note over {}: {}{}{}", over, diagram_label(what), colon,
                   diagram_label(said)));
}

void sequence_diagram::assign(const json::object& payload) {
  for (const auto& one : protocol::items_of(payload, "assignments"))
    if (const auto* members = one.if_object())
      actor(text_of(*members, "participant_id"));
}

void sequence_diagram::show_input(const json::object& payload) {
  const auto input = text_of(payload, "input");
  const auto who = text_of(payload, "participant_id");
  if (input == "decision")
    arrow(actor(who), "-->>", session_actor, "decides",
          text_of(payload, "refused"));
  else
    note(actor(who), input,
         text_of(payload, input == "message" ? "content" : "reason"));
}

void sequence_diagram::add(const json::object& event) {
  const auto type = text_of(event, "event_type");
  const auto& payload = object_of(event, "payload");
  const auto status = text_of(payload, "status");
  const auto& error = text_of(object_of(payload, "error"), "message");
  if (type == "MAPSessionStarted") {
    title_ = diagram_label(text_of(payload, "title"));
    note(session_actor, text_of(payload, "mode"), text_of(payload, "purpose"));
  } else if (type == "MAPRolesAssigned") {
    assign(payload);
  } else if (type == "MAPTurnDispatched") {
    arrow(session_actor, "->>", actor(text_of(payload, "participant_id")),
          turn_of(payload), text_of(payload, "task"));
  } else if (type == "MAPTurnCompleted") {
    arrow(actor(text_of(payload, "participant_id")), answer_arrow(status),
          session_actor, status,
          error.empty() ? text_of(payload, "output_summary") : error);
  } else if (type == "MAPBroadcastSent") {
    const auto from = actor(text_of(payload, "broadcaster_participant"));
    for (const auto to : texts_of(payload, "target_participants"))
      arrow(from, "->>", actor(to), text_of(payload, "message_type"),
            text_of(object_of(payload, "message"), "task"));
  } else if (type == "MAPBroadcastReceived") {
    arrow(actor(text_of(payload, "receiver_participant")), answer_arrow(status),
          session_actor, status,
          error.empty() ? text_of(object_of(payload, "reply"), "content")
                        : error);
  } else if (type == "MAPHandoffInitiated") {
    arrow(actor(text_of(payload, "from_participant")), "->>",
          actor(text_of(payload, "to_participant")), "hands off",
          text_of(payload, "instructions"));
  } else if (type == "MAPConflictDetected") {
    note(session_actor, text_of(payload, "conflict_type"),
         text_of(payload, "resource_id"));
  } else if (type == "MAPConflictResolved") {
    note(actor(text_of(payload, "winning_participant")),
         text_of(payload, "resolution_strategy"), text_of(payload, "reason"));
  } else if (type == "MAPSessionCompleted") {
    note(session_actor, status,
         text_of(object_of(payload, "stop_reason"), "condition"));
  } else if (type == "session_input") {
    show_input(payload);
  }
}

std::string sequence_diagram::text() const {
  std::string all;
  if (!title_.empty())
    all += fmt::format("---\ntitle: \"{}\"\n---\n", title_);
  all += "sequenceDiagram\n    participant session\n" + heads_ + body_;
  if (hidden_ != 0)
    all += fmt::format("    Note over session: {} more lines\n", hidden_);
  return all;
}

} // namespace convene::cli
