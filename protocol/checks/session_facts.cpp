#include <convene/protocol/checks/session_facts.hpp>
#include <convene/protocol/documents/response_time.hpp>

#include <algorithm>

namespace convene::protocol {

void session_facts::start(const json::object& payload) {
  started = true;
  const auto& spec = object_of(payload, "spec");
  mode = text_of(object_of(spec, "collab"), "mode");
  if (mode.empty())
    mode = text_of(payload, "mode");
  policy = text_of(payload, "policy");
  context_id = text_of(payload, "context_id");
  digests = payload.contains("spec_sha256");
  task = text_of(spec, "task");
  options = object_of(spec, "session");
  behaviours = object_of(spec, "behaviours");
  has_times = options.contains("turn_timeout_ms")
              || std::ranges::any_of(behaviours, [](const auto& entry) {
                   return takes_its_time(entry.value());
                 });
}

void session_facts::assign(const json::object& payload) {
  assigned = true;
  for (const auto& each : array_of(payload, "assignments"))
    if (const auto* one = each.if_object())
      people[std::string{text_of(*one, "participant_id")}]
        = {.role = std::string{text_of(*one, "role_id")},
           .role_name = std::string{text_of(*one, "role_name")},
           .acts = text_of(*one, "kind") != "system"};
}

bool session_facts::has_known_policy() const {
  static constexpr std::string_view known[]{"broadcast", "round_robin",
                                            "orchestrated", "swarm", "pair"};
  return std::ranges::find(known, policy) != std::end(known);
}

const session_facts::person*
session_facts::find(std::string_view participant_id) const {
  if (found_ == nullptr || found_->first != participant_id) {
    const auto found = people.find(participant_id);
    if (found == people.end())
      return nullptr;
    found_ = &*found;
  }
  return &found_->second;
}

std::optional<std::int64_t>
session_facts::timeout_of(std::string_view participant_id) const {
  if (!has_times)
    return std::nullopt;
  return response_time_of(behaviours, participant_id,
                          integer_of(options, "turn_timeout_ms"))
    .timeout_ms;
}

bool session_facts::is_called(std::string_view participant_id,
                              std::string_view name) const {
  const auto* person = find(participant_id);
  if (person == nullptr || name == participant_id || name == person->role
      || name == person->role_name
      || participant_id.find(name) != std::string_view::npos)
    return true;
  return text_of(object_of(options, "assign"), name) == participant_id;
}

bool checked_event::is_done() const {
  const auto status = text_of(payload, "status");
  return status == "completed" || status == "handed_off";
}

const json::array& array_of(const json::object& from,
                            std::string_view name) noexcept {
  return array_in(from.if_contains(name));
}

std::string_view reply_status_of(const json::object& reply) {
  const auto status = text_of(reply, "status");
  return status.empty() ? "completed" : status;
}

} // namespace convene::protocol
