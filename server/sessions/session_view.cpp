#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/runtime/session_documents.hpp>
#include <convene/server/sessions/session_view.hpp>
#include <convene/session/machine/machine.hpp>
#include <convene/session/machine/report.hpp>

#include <algorithm>
#include <utility>

namespace convene::server {
namespace {

using protocol::object_of;
using protocol::text_of;
namespace json = protocol::json;

} // namespace

void session_view::feed(std::string_view line) {
  ++events_;
  follow_turns(line);
  trace_.add(std::string{line} + '\n');
  const std::string nowhere;
  replay_.feed({nowhere, 0, 1, static_cast<std::size_t>(events_), 0}, line);
  const auto& now = replay_.session();
  if (!now.ended || !now.standing || documents_)
    return;
  const auto ended = make_result(replay_.take_report());
  documents_ = host::make_documents(ended, trace_);
  replay_.forget();
}

void session_view::follow_turns(std::string_view line) {
  const auto type = host::type_at_once(line);
  const bool starts = type == "MAPSessionStarted";
  const bool opens = type == "MAPTurnDispatched";
  if (!starts && !opens && type != "MAPTurnCompleted")
    return;
  auto event = protocol::parse_json(line);
  if (!event || !event->is_object())
    return;
  const auto& payload = object_of(event->get_object(), "payload");
  if (starts) {
    scenario_ = object_of(payload, "spec");
    const auto* all
      = object_of(scenario_, "collab").if_contains("participants");
    if (all != nullptr && all->is_array())
      for (const auto& each : all->get_array())
        if (const auto* one = each.if_object();
            one && text_of(*one, "kind") != "system") // which has no turns
          roster_.emplace_back(text_of(*one, "participant_id"));
    return;
  }
  const auto number = protocol::integer_of(payload, "turn_number").value_or(0);
  if (!opens) {
    open_.erase(number);
    return;
  }
  last_ = {number, std::string{text_of(payload, "participant_id")},
           std::string{text_of(event->get_object(), "timestamp")}};
  open_[number] = last_;
}

std::optional<protocol::error> session_view::fault() const {
  const auto& found = replay_.session().divergence;
  if (!found)
    return std::nullopt;
  return protocol::error{
    .code = protocol::errc::unsupported,
    .message = found->rule.empty()
                 ? "the log is not what this version of the program makes of "
                   "the session's inputs"
                 : found->message,
    .rule = found->rule.empty() ? "replay_diverged" : found->rule};
}

json::object session_view::turn_state() const {
  const auto some = [](bool there, auto what) {
    return there ? json::value(what) : json::value();
  };
  const bool held = !open_.empty();
  const auto& current = held ? open_.rbegin()->second : last_;
  const bool has_any = current.number != 0;
  const auto at = std::ranges::find(roster_, current.participant);
  json::array all;
  for (const auto& [number, each] : open_)
    all.push_back({{"participant_id", each.participant},
                   {"turn_number", number},
                   {"turn_started_at", each.started_at}});
  return {{"current_turn_holder", some(held, current.participant)},
          {"turn_order", json::array(roster_.begin(), roster_.end())},
          {"turn_index", some(at != roster_.end(), at - roster_.begin())},
          {"turn_started_at", some(has_any, current.started_at)},
          {"turn_number", some(has_any, current.number)},
          {"open_turns", std::move(all)}};
}

const session::machine& session_view::machine() const {
  return *replay_.session().standing->session();
}

json::object session_view::workspace() const {
  std::optional<json::object> made;
  if (documents_) {
    made = documents_->workspace;
  } else {
    session::report so_far;
    so_far.collab = machine().spec().collab;
    so_far.workspace = machine().workspace().view();
    made = session::make_workspace_document(so_far);
  }
  const auto& id = replay_.session().id;
  return made ? *std::move(made)
              : json::object{{"session_id", id}, {"resources", json::array{}}};
}

json::object session_view::dialog() const {
  if (documents_)
    return std::move(
      protocol::encode(session::make_dialog(documents_->dialog)).as_object());
  session::report so_far;
  so_far.collab = machine().spec().collab;
  so_far.talk = machine().talk();
  so_far.key = machine().key();
  so_far.started_at = machine().started_at();
  so_far.outcome.status = machine().status();
  return std::move(protocol::encode(session::make_dialog(so_far)).as_object());
}

json::object session_view::collab() const {
  if (documents_)
    return documents_->collab;
  auto made = machine().spec().collab;
  made.status = machine().status();
  return std::move(protocol::encode(made).as_object());
}

json::object session_view::context() const {
  if (documents_)
    return documents_->context;
  return std::move(protocol::encode(machine().spec().context).as_object());
}

std::optional<json::object> session_view::plan() const {
  if (documents_)
    return documents_->plan;
  const auto* plan = machine().plan();
  return plan == nullptr
           ? std::nullopt
           : std::optional{std::move(protocol::encode(*plan).as_object())};
}

} // namespace convene::server
