#include <convene/protocol/json/members.hpp>
#include <convene/server/session_api/answers.hpp>
#include <convene/server/session_api/session_routes.hpp>

#include <memory>
#include <string>
#include <utility>

namespace convene::server {
namespace {

/// Room for 64 KiB of text, escaped.
constexpr std::size_t message_body_max = std::size_t{512} << 10;

void say(session_host& host, const request& from, const responder& to) {
  const auto row = session_of(from, host);
  if (!row)
    return to(refusal(row.error(), from));
  const auto body = object_of_body(from, message_body_max);
  if (!body)
    return to(refusal(body.error(), from));
  for (const auto& [name, value] : *body)
    if ((name != "content" && name != "participant_id") || !value.is_string())
      return to(refusal(400, "member_unknown",
                        "the body has `content` and `participant_id`, texts, "
                        "and nothing else",
                        {{"instance", '/' + std::string{name}}}));
  std::string who{protocol::text_of(*body, "participant_id")};
  const auto& own = from.by.participant_id;
  if (!own.empty() && !who.empty() && who != own)
    return to(refusal(403, "forbidden", "this key answers for one person",
                      {{"instance", "/participant_id"}}));
  if (!own.empty())
    who = own;
  const auto text = std::make_shared<const request>(from);
  host.say(
    row->session_id, who, std::string{protocol::text_of(*body, "content")},
    [to, text, id = row->session_id](protocol::result<void> done) {
      to(done ? json_response(200, {{"session_id", id}, {"status", "accepted"}})
              : refusal(done.error(), *text));
    });
  to.after(durable_limit, [] {
    return refusal(503, "not_durable_yet",
                   "the message is not on disk yet; it may still be: look for "
                   "it in the session's dialog");
  });
}

} // namespace

routes message_routes(session_host& host) {
  return {{.method = "POST",
           .pattern = "/v1/sessions/{id}/messages",
           .scope = "approvals:respond",
           .call = [&host](const request& from,
                           const responder& to) { say(host, from, to); },
           .for_one_person = true}};
}

} // namespace convene::server
