#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/run_api/interrupt_tokens.hpp>

#include <algorithm>
#include <chrono>
#include <mutex>

namespace convene::server {
namespace {

namespace json = boost::json;
using protocol::text_of;

constexpr std::string_view intent = "resolve";
/// OpenWOP's interrupt profile of nodes that only keys may answer.
constexpr std::string_view auth_required = "openwop-interrupt-auth-required";

protocol::timestamp_ms time_now() {
  const auto passed = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(passed).count();
}

bool needs_key(const protocol::workflow& of, std::string_view node_id) {
  const auto node = of.find(node_id);
  return node
         && text_of(of.definition.nodes[*node].config, "profile")
              == auth_required;
}

/// The payload of the event that has this id, among the first of them.
json::object payload_of(const std::vector<event_text>& events,
                        const std::string& event_id) {
  for (const auto& text : events) {
    if (text->find(event_id) == text->npos)
      continue;
    const auto event = protocol::parse_json(*text);
    const auto* const members = event ? event->if_object() : nullptr;
    if (members != nullptr && text_of(*members, "eventId") == event_id)
      return protocol::object_of(*members, "payload");
  }
  return {};
}

/// The latest turns.
json::array turns_of(const session::conversation& talk, std::size_t most) {
  json::array all;
  const auto& turns = talk.state().turns;
  for (auto i = turns.size() - std::min(turns.size(), most); i < turns.size();
       ++i)
    all.push_back(protocol::encode(turns[i].turn));
  return all;
}

} // namespace

std::string make_token(const token_signer& by, const interrupt_claim& what) {
  return by.sign(json::serialize(
    json::object{{"runId", what.run_id},
                 {"nodeId", what.node_id},
                 {"interruptId", what.interrupt_id},
                 {"expiresAt", protocol::format_timestamp(what.expires_at)},
                 {"intent", intent}}));
}

std::optional<interrupt_claim> read_token(const token_signer& by,
                                          std::string_view token) {
  const auto text = by.read(token);
  const auto parsed = text ? protocol::parse_json(*text)
                           : protocol::result<json::value>{nullptr};
  const auto* const members = parsed ? parsed->if_object() : nullptr;
  if (members == nullptr || text_of(*members, "intent") != intent)
    return std::nullopt;
  const auto expires
    = protocol::parse_timestamp(text_of(*members, "expiresAt"));
  if (!expires)
    return std::nullopt;
  return interrupt_claim{.run_id = std::string{text_of(*members, "runId")},
                         .node_id = std::string{text_of(*members, "nodeId")},
                         .interrupt_id
                         = std::string{text_of(*members, "interruptId")},
                         .expires_at = *expires};
}

bool has_expired(const interrupt_claim& what) {
  return time_now() >= what.expires_at;
}

void add_tokens(json::object& snapshot, const hosted_run& run,
                const token_signer& by) {
  auto* const list = snapshot.if_contains("interrupts");
  if (list == nullptr)
    return;
  for (auto& each : list->as_array()) {
    auto& members = each.as_object();
    const std::string node_id{text_of(members, "nodeId")};
    if (needs_key(*run.workflow, node_id))
      continue;
    const auto deadline
      = protocol::parse_timestamp(text_of(members, "deadline"));
    const interrupt_claim claim{
      .run_id = to_string(run.id),
      .node_id = node_id,
      .interrupt_id = std::string{text_of(members, "interruptId")},
      .expires_at = std::min(time_now() + interrupt_token_ms,
                             deadline.value_or(protocol::timestamp_max))};
    const auto token = make_token(by, claim);
    members["interruptToken"] = token;
    members["callbackUrl"] = "/v1/interrupts/" + token;
    members["expiresAt"] = protocol::format_timestamp(claim.expires_at);
    if (text_of(snapshot, "currentNodeId") == node_id)
      snapshot["interrupt"] = members;
  }
}

std::optional<json::object>
describe_open(hosted_run& run, const std::string& node_id,
              const std::string& interrupt_id, std::size_t turns_most) {
  std::unique_lock lock{run.mutex};
  const auto* const asked = run.machine.find_open(node_id, interrupt_id);
  if (asked == nullptr || asked->requested_by.empty())
    return std::nullopt;
  const auto requested_by = asked->requested_by;
  const auto sequence = static_cast<std::size_t>(asked->sequence);
  json::array turns;
  std::size_t count = 0;
  std::optional<json::object> schema;
  if (const auto* talk = run.machine.conversations().find(node_id);
      talk != nullptr && is_conversation(asked->kind)) {
    turns = turns_of(*talk, turns_most);
    count = talk->state().turns.size();
    schema = talk->state().schema;
  }
  lock.unlock();
  auto made = payload_of(run.record->all(sequence), requested_by);
  if (!turns.empty()) {
    made["turns"] = std::move(turns);
    made["turnCount"] = count;
  }
  if (schema)
    made["schema"] = *std::move(schema);
  return made;
}

std::optional<json::object> describe_interrupt(hosted_run& run,
                                               const interrupt_claim& what) {
  auto found = describe_open(run, what.node_id, what.interrupt_id);
  if (!found)
    return found;
  auto& made = *found;
  for (const auto* name :
       {"runId", "nodeId", "interruptId", "turnCount", "schema"})
    made.erase(name);
  made["expiresAt"] = protocol::format_timestamp(what.expires_at);
  return made;
}

} // namespace convene::server
