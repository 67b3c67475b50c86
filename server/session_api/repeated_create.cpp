#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/server/session_api/repeated_create.hpp>

#include <chrono>
#include <string>

namespace convene::server {
namespace {

constexpr std::chrono::hours kept_for{24}; // as answers in memory are

bool is_recent(const session_row& row) {
  const auto began = protocol::parse_timestamp(row.started_at);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return !began || now - std::chrono::milliseconds{*began} < kept_for;
}

/// Who began the session, with which key and which body.
std::string key_text(const request& from) {
  auto text = from.by.key_id;
  for (const auto part :
       {from.header("idempotency-key"), std::string_view{from.body}})
    text.append(1, '\0').append(part);
  return text;
}

} // namespace

std::optional<std::string> id_by_key(const request& from,
                                     const boost::json::object& scenario) {
  const auto key = from.header("idempotency-key");
  const auto* const collab = scenario.if_contains("collab");
  if (key.empty() || collab == nullptr || !collab->is_object()
      || collab->get_object().contains("collab_id"))
    return std::nullopt;
  return to_string(protocol::hashed_uuid(key_text(from)));
}

std::optional<response> repeated_create(const session_host& host,
                                        const request& from,
                                        boost::json::object& scenario) {
  const auto first = id_by_key(from, scenario);
  if (!first)
    return std::nullopt;
  auto id = *first;
  while (const auto row = host.events()->sessions().find(id)) {
    if (!is_recent(*row)) { // its time is over: the next id follows from it
      id = to_string(
        protocol::hashed_uuid(key_text(from) + std::string(1, '\0') + id));
      continue;
    }
    auto answer = json_response(201, {{"session_id", row->session_id},
                                      {"status", row->status}});
    answer.headers.emplace_back("Location", "/v1/sessions/" + row->session_id);
    answer.headers.emplace_back("openwop-Idempotent-Replay", "true");
    return answer;
  }
  scenario.at("collab").as_object()["collab_id"] = std::move(id);
  return std::nullopt;
}

} // namespace convene::server
