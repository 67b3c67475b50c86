#include <convene/protocol/json/members.hpp>
#include <convene/server/session_api/answers.hpp>
#include <convene/server/session_api/session_routes.hpp>

#include <array>
#include <memory>
#include <string>
#include <utility>

namespace convene::server {
namespace {

using control = session_host::control;

constexpr std::size_t control_bytes_max = std::size_t{16} << 10;
constexpr std::size_t reason_bytes_max = 4096;

struct verb {
  const char* name;
  control what;
};

constexpr std::array verbs{verb{"suspend", control::suspend},
                           verb{"resume", control::resume},
                           verb{"cancel", control::cancel},
                           verb{"stop", control::stop}};

/// Why, in the words of whoever asks for it.
protocol::result<std::string> reason_of(const request& from,
                                        const char* otherwise) {
  const auto body = object_of_body(from, control_bytes_max);
  if (!body)
    return protocol::fail(body.error());
  for (const auto& [name, value] : *body)
    if (name != "reason" || !value.is_string()
        || value.get_string().size() > reason_bytes_max)
      return protocol::fail({.code = protocol::errc::usage,
                             .message = "the body has `reason`, a text of at "
                                        "most 4096 bytes, or nothing",
                             .pointer = '/' + std::string{name},
                             .rule = "reason"});
  const auto reason = protocol::text_of(*body, "reason");
  return std::string{reason.empty() ? otherwise : reason};
}

response accepted(const session_row& row, const verb& which) {
  return json_response(202, {{"session_id", row.session_id},
                             {"status", row.status},
                             {"accepted", which.name}});
}

/// Starts a session that was created with `start` false.
void start(session_host& host, const session_row& row, const verb& which,
           const request& from, const responder& to) {
  const auto text = std::make_shared<const request>(from);
  const bool begun = host.start_draft(
    row.session_id,
    [to, text, &which](const protocol::result<session_row>& made) {
      if (made)
        return to(accepted(*made, which));
      // The server may have been started with other permissions meanwhile.
      const auto& why = made.error();
      to(why.code == protocol::errc::activation_refused
           ? refusal(422, "scenario_invalid", why.message,
                     {{"errors", boost::json::array{validation_error(why)}}})
           : refusal(why, *text));
    },
    from.by.key_id);
  if (!begun)
    return to(overloaded());
  to.after(durable_limit, start_not_durable);
}

void tell(session_host& host, const verb& which, const request& from,
          const responder& to) {
  const auto row = session_of(from, host);
  if (!row)
    return to(refusal(row.error(), from));
  auto reason = reason_of(from, "asked for by the API");
  if (!reason)
    return to(refusal(reason.error(), from));
  if (row->status == session_row::draft && which.what == control::resume)
    return start(host, *row, which, from, to);
  if (auto told = host.tell(row->session_id, which.what, *std::move(reason));
      !told)
    return to(refusal(told.error(), from));
  to(accepted(*row, which));
}

} // namespace

routes control_routes(session_host& host) {
  routes all;
  for (const auto& each : verbs)
    all.push_back(
      {.method = "POST",
       .pattern = std::string{"/v1/sessions/{id}/"} + each.name,
       .scope = "runs:cancel",
       .call = [&host, &each](const request& from, const responder& to) {
         tell(host, each, from, to);
       }});
  return all;
}

} // namespace convene::server
