#include <convene/runtime/outside/participants/member_reader.hpp>
#include <convene/runtime/outside/participants/request_reading.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace convene::host {
namespace {

namespace json = protocol::json;

using actors::turn_request;

/// Reads a request member by member.
class request_reader : public member_reader {
public:
  request_reader() = default;
  explicit request_reader(const session::session_info& about) : about_{about} {
    for (const auto& one : about_.participants)
      positions_.emplace(one.participant_id,
                         static_cast<session::participant_index>(
                           positions_.size()));
  }

  turn_request read(const json::object& from);

private:
  session::participant_index position_of(std::string name);

  void read_wanted(const place& in);
  void read_turn(const place& in);
  void read_dialog(const place& in);
  void read_workspace(const place& in);
  void read_decide(const place& in);
  void read_dispute(const place& in);
  void read_approval(const place& in);
  std::vector<actors::answer_of_other> answers(const place& in);
  actors::closed_turn closed(const place& in);
  session::missed_quorum missed(const place& in);

  turn_request made_;
  std::map<std::string, session::participant_index> positions_;
  session::session_info about_;
};

/// Everybody who is named gets a place in the roster.
session::participant_index request_reader::position_of(std::string name) {
  if (name.empty())
    return session::no_participant;
  const auto next
    = static_cast<session::participant_index>(about_.participants.size());
  const auto [found, is_new] = positions_.emplace(name, next);
  if (is_new) {
    protocol::participant one;
    one.participant_id = std::move(name);
    about_.participants.push_back(std::move(one));
  }
  return found->second;
}

void request_reader::read_wanted(const place& in) {
  static constexpr std::array<std::string_view, 5> words{"turn", "broadcast",
                                                         "decision", "vote",
                                                         "escalation"};
  const auto wanted = text(in, "wanted", true);
  const auto found = std::ranges::find(words, wanted);
  if (found == words.end())
    return refuse("/wanted", "turn, broadcast, decision, vote or escalation");
  made_.kind = static_cast<session::request_kind>(found - words.begin());
}

void request_reader::read_turn(const place& in) {
  made_.token = text(in, "token", true);
  made_.turn = number<std::uint32_t>(in, "turn_number");
  made_.round = number<std::uint32_t>(in, "round");
  made_.attempt = number<std::uint32_t>(in, "attempt");
  made_.sequence = number<std::uint32_t>(in, "sequence");
  made_.deadline = time(in, "deadline");
  made_.task = text(in, "task");
  made_.duty = text(in, "duty");
  made_.step_id = text(in, "step_id");
  inside(in, "handoff", false, [&](const place& at) {
    made_.handoff = {.handoff_id = text(at, "handoff_id"),
                     .from = text(at, "from"),
                     .instructions = text(at, "instructions"),
                     .reason = text(at, "reason")};
  });
  made_.limited = in.from.contains("may_write");
  each(in, "may_write", [&](const place& at) {
    made_.resources.push_back({.resource_type = text(at, "resource_type"),
                               .resource_id = text(at, "resource_id")});
  });
}

void request_reader::read_dialog(const place& in) {
  each(in, "dialog", [&](const place& at) {
    const auto content = text(at, "content");
    made_.window.add({.participant = position_of(text(at, "participant")),
                      .at = time(at, "at"),
                      .content = content});
  });
  std::vector<session::response> earlier;
  for (auto& one : answers({in.from, in.pointer}))
    earlier.push_back({.participant = position_of(std::move(one.participant)),
                       .status = std::move(one.status),
                       .content = std::move(one.content)});
  if (!earlier.empty())
    made_.earlier = std::move(earlier);
}

void request_reader::read_workspace(const place& in) {
  json::array all;
  each(in, "resources", [&](const place& at) {
    json::object one{{"type", text(at, "resource_type", true)},
                     {"id", text(at, "resource_id", true)},
                     {"version", number<std::int64_t>(at, "version")},
                     {"revision", 1}};
    if (const auto* value = member(at, "value", true))
      one.emplace("value", *value);
    all.push_back(std::move(one));
  });
  auto read = session::workspace_view::from_json(
    json::object{{"revision", number<std::int64_t>(in, "revision")},
                 {"resources", std::move(all)}});
  if (read)
    made_.workspace = *std::move(read);
  else
    refuse(in.pointer + "/resources", "resources by their names, each once,");
}

std::vector<actors::answer_of_other> request_reader::answers(const place& in) {
  std::vector<actors::answer_of_other> all;
  each(in, "responses", [&](const place& at) {
    all.push_back({.participant = text(at, "participant"),
                   .status = text(at, "status"),
                   .content = text(at, "content")});
  });
  return all;
}

actors::closed_turn request_reader::closed(const place& in) {
  return {.participant = text(in, "participant"),
          .status = text(in, "status"),
          .step_id = text(in, "step_id"),
          .content = text(in, "content")};
}

session::missed_quorum request_reader::missed(const place& in) {
  session::missed_quorum made;
  inside(in, "missed_quorum", false, [&](const place& at) {
    made = {.answered = number<std::uint32_t>(at, "answered"),
            .needed = number<std::uint32_t>(at, "needed")};
  });
  return made;
}

void request_reader::read_decide(const place& in) {
  auto& to = made_.decide;
  each(in, "participants", [&](const place& at) {
    to.participants.push_back(
      {.participant = text(at, "participant_id"),
       .role = text(at, "role_id"),
       .kind = word<protocol::participant_kind>(at, "kind")});
  });
  each(in, "ready", [&](const place& at) {
    to.ready.push_back({.step_id = text(at, "step_id"),
                        .description = text(at, "description"),
                        .agent_role = text(at, "agent_role"),
                        .assigned = text(at, "assigned"),
                        .attempts = number<std::uint32_t>(at, "attempts")});
  });
  to.steps_total = number<std::uint32_t>(in, "steps_total");
  to.steps_open = number<std::uint32_t>(in, "steps_open");
  to.steps_failed = number<std::uint32_t>(in, "steps_failed");
  to.outstanding = number<std::uint32_t>(in, "outstanding");
  inside(in, "last", false, [&](const place& at) {
    auto last = closed(at);
    to.last_participant = std::move(last.participant);
    to.last_status = std::move(last.status);
    to.last_step_id = std::move(last.step_id);
    to.last_content = std::move(last.content);
  });
  each(in, "also_closed",
       [&](const place& at) { to.also_closed.push_back(closed(at)); });
  to.refused = text(in, "refused");
  to.responses = answers(in);
  to.missed = missed(in);
}

void request_reader::read_dispute(const place& in) {
  auto& to = made_.dispute;
  to.conflict_id = text(in, "conflict_id", true);
  to.resource_type = text(in, "resource_type");
  to.resource_id = text(in, "resource_id");
  each(in, "sides", [&](const place& at) {
    actors::disputed_write side{.participant = text(at, "participant")};
    side.deleted = at.from.contains("deleted");
    if (const auto* value = member(at, "value", !side.deleted))
      side.value = *value;
    to.sides.push_back(std::move(side));
  });
}

void request_reader::read_approval(const place& in) {
  auto& to = made_.approval;
  to.participant = text(in, "participant", true);
  to.kind = word<protocol::action_kind>(in, "kind");
  to.name = text(in, "name", true);
  if (const auto* value = member(in, "arguments", true))
    to.arguments = *value;
  to.sha256 = text(in, "sha256");
}

turn_request request_reader::read(const json::object& from) {
  const place in{from, ""};
  read_wanted(in);
  inside(in, "session", true, [&](const place& at) {
    made_.session_id = text(at, "session_id", true);
    made_.mode = word<protocol::mode>(at, "mode");
    made_.title = text(at, "title");
    made_.purpose = text(at, "purpose");
  });
  inside(in, "participant", true, [&](const place& at) {
    made_.participant = text(at, "participant_id", true);
    made_.role = text(at, "role_id");
    made_.role_name = text(at, "role_name");
  });
  read_turn(in);
  read_dialog(in);
  made_.missed = missed(in);
  inside(in, "workspace", false, [&](const place& at) { read_workspace(at); });
  inside(in, "decide", false, [&](const place& at) { read_decide(at); });
  inside(in, "dispute", false, [&](const place& at) { read_dispute(at); });
  inside(in, "approval", false, [&](const place& at) { read_approval(at); });
  about_.session_id = made_.session_id;
  about_.title = made_.title;
  about_.purpose = made_.purpose;
  about_.mode = made_.mode;
  made_.about
    = std::make_shared<const session::session_info>(std::move(about_));
  return std::move(made_);
}

protocol::result<turn_request> read_by(request_reader reader,
                                       const json::value& from) {
  if (!from.is_object())
    return protocol::fail(protocol::errc::invalid_document,
                          "a request is an object", "type");
  auto made = reader.read(from.get_object());
  if (reader.wrong())
    return protocol::fail(*reader.wrong());
  return made;
}

} // namespace

protocol::result<turn_request> read_request(const json::value& from) {
  return read_by(request_reader{}, from);
}

protocol::result<turn_request>
read_request(const json::value& from, const session::session_info& about) {
  return read_by(request_reader{about}, from);
}

} // namespace convene::host
