#include <convene/protocol/checks/people_check.hpp>

#include <algorithm>

namespace convene::protocol {
namespace {

/// Members of a payload that name one participant, or several, and their role.
struct named_person {
  std::string_view who;
  std::string_view role;
};

constexpr named_person single[]{{"participant_id", "role_id"},
                                {"broadcaster_participant",
                                 "broadcaster_role_id"},
                                {"receiver_participant", "receiver_role_id"},
                                {"winning_participant", "winning_role"},
                                {"from_participant", "from_role"},
                                {"to_participant", "to_role"}};
constexpr named_person several[]{{"conflicting_participants",
                                  "conflicting_roles"},
                                 {"losing_participants", "losing_roles"},
                                 {"target_participants", ""}};

/// Members of the envelope that name the role of somebody in the payload.
struct envelope_role {
  std::string_view type;
  std::string_view member;
  std::string_view who;
};

constexpr envelope_role in_envelope[]{
  {"MAPTurnDispatched", "target_roles", "participant_id"},
  {"MAPTurnCompleted", "initiator_role", "participant_id"},
  {"MAPBroadcastSent", "initiator_role", "broadcaster_participant"},
  {"MAPBroadcastSent", "target_roles", "target_participants"},
  {"MAPBroadcastReceived", "initiator_role", "receiver_participant"},
  {"MAPHandoffInitiated", "initiator_role", "from_participant"},
  {"MAPHandoffInitiated", "target_roles", "to_participant"},
  {"session_input", "executor_role", "participant_id"},
  {"write_refused", "executor_role", "participant_id"},
  {"claim_refused", "executor_role", "participant_id"},
  {"action_started", "executor_role", "participant_id"},
  {"action_ended", "executor_role", "participant_id"}};

class people_reader {
public:
  explicit people_reader(const checked_event& e) : e_(e) {
    // nop
  }

  void check_known(std::string_view who) const {
    if (!who.empty() && e_.session.find(who) == nullptr)
      e_.report("participants_known",
                "participant " + quote(who) + " is not in MAPRolesAssigned");
  }

  void check_role(std::string_view member, std::string_view who,
                  std::string_view role) const {
    const auto* person = e_.session.find(who);
    if (person != nullptr && person->role != role)
      e_.report("roles_match", std::string{member} + " is " + quote(role)
                                 + ", the role of participant " + quote(who)
                                 + " is " + quote(person->role));
  }

  /// A list of one text, or one alone.
  void check_roles(const indexed_members& from, std::string_view member,
                   std::string_view who) const {
    const auto& list = array_of(from, member);
    if (list.size() == 1 && list.front().is_string())
      return check_role(member, who, text_in(&list.front()));
    const auto* value = from.if_contains(member);
    if (value != nullptr && value->is_array())
      return check_roles(from, member, std::vector{who});
    check_role(member, who, text_of(from, member));
  }

  /// One text, or a list of them, for as many participants.
  void check_roles(const indexed_members& from, std::string_view member,
                   const std::vector<std::string_view>& who) const {
    const auto* value = from.if_contains(member);
    auto roles = value != nullptr && value->is_array()
                   ? texts_of(from, member)
                   : std::vector{text_of(from, member)};
    // A role that is empty is left out.
    if (value == nullptr)
      roles.resize(who.size());
    if (roles.size() != who.size())
      return e_.report("roles_match",
                       std::string{member} + " has "
                         + std::to_string(roles.size()) + " roles for "
                         + std::to_string(who.size()) + " participants");
    for (std::size_t i = 0; i < who.size(); ++i)
      check_role(member, who[i], roles[i]);
  }

private:
  const checked_event& e_;
};

} // namespace

void check_people(const checked_event& e) {
  if (!e.session.assigned || e.is("MAPRolesAssigned"))
    return;
  const people_reader read{e};
  for (const auto& [who, role] : single) {
    const auto id = text_of(e.payload, who);
    if (id.empty())
      continue;
    read.check_known(id);
    // An input has the role outside its payload, and so has an action.
    const bool outside = e.is("session_input") || e.is("action_started")
                         || e.is("action_ended");
    if (!outside && !role.empty())
      read.check_roles(e.payload, role, id);
  }
  for (const auto& [who, role] : several) {
    const auto all = texts_of(e.payload, who);
    std::ranges::for_each(all, [&](auto id) { read.check_known(id); });
    if (!role.empty() && (!all.empty() || e.payload.contains(role)))
      read.check_roles(e.payload, role, all);
  }
  const auto& details = object_of(e.payload, "details");
  read.check_known(text_of(details, "participant_id"));
  for (const auto who : texts_of(details, "asked"))
    read.check_known(who);
  for (const auto& vote : array_of(e.payload, "votes"))
    if (const auto* one = vote.if_object()) {
      read.check_known(text_of(*one, "participant_id"));
      read.check_known(text_of(*one, "for"));
    }
  for (const auto& [type, member, who] : in_envelope) {
    if (!e.is(type))
      continue;
    const auto* value = e.payload.if_contains(who);
    if (value != nullptr && value->is_string())
      read.check_roles(e.whole, member, text_of(e.payload, who));
    else
      read.check_roles(e.whole, member, texts_of(e.payload, who));
  }
  // A role's id, or its name.
  const auto receiver = text_of(e.payload, "receiver_participant");
  const auto* person = e.session.find(receiver);
  if (person == nullptr)
    return;
  const auto shown = text_of(e.payload, "receiver_role");
  if (shown.empty() || shown != person->role_name)
    read.check_roles(e.payload, "receiver_role", receiver);
}

} // namespace convene::protocol
