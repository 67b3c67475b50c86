#include <convene/protocol/boundary/boundary.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/session_api/answers.hpp>
#include <convene/server/session_api/session_routes.hpp>

#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace convene::server {
namespace {

using protocol::errc;
using protocol::fail;
using protocol::result;
namespace json = boost::json;

constexpr std::size_t fork_body_max = std::size_t{1} << 20;
constexpr std::size_t changes_max = 100;

auto wrong(std::string message, std::string pointer) {
  return fail({.code = errc::usage,
               .message = std::move(message),
               .pointer = std::move(pointer),
               .rule = "fork"});
}

result<void> read_turn(const json::value& from, session_host::fork_place& to) {
  const auto* number = from.if_int64();
  if (number == nullptr || *number < 1
      || *number > std::numeric_limits<std::uint32_t>::max())
    return wrong("`turn` is the number of a turn", "/turn");
  to.turn = static_cast<std::uint32_t>(*number);
  return {};
}

result<void> read_changes(const json::value& from,
                          session_host::fork_place& to) {
  const auto* all = from.if_array();
  if (all == nullptr || all->size() > changes_max)
    return wrong("`set` has at most 100 texts `KEY=VALUE`", "/set");
  for (const auto& each : *all) {
    if (!each.is_string())
      return wrong("`set` has texts `KEY=VALUE`",
                   "/set/" + std::to_string(to.overrides.size()));
    to.overrides.emplace_back(each.get_string());
  }
  return {};
}

result<void> read_answer(const json::value& from,
                         session_host::fork_place& to) {
  if (!from.is_object())
    return wrong("`answer` has `participant_id` and `reply`", "/answer");
  const auto& all = from.get_object();
  for (const auto& [name, value] : all)
    if ((name != "participant_id" || !value.is_string())
        && (name != "reply" || !value.is_object()))
      return wrong("`answer` has `participant_id`, a text, and `reply`, an "
                   "object",
                   "/answer/" + std::string{name});
  if (all.size() != 2)
    return wrong("`answer` must have `participant_id` and `reply`", "/answer");
  const auto placed = [](protocol::error why) {
    why.pointer = "/answer/reply" + why.pointer;
    return fail(std::move(why));
  };
  auto given = protocol::decode_reply(all.at("reply"));
  if (!given)
    return placed(given.error());
  const auto rules = protocol::boundary::embedded_rules();
  if (!rules)
    return fail(rules.error());
  if (auto why = protocol::boundary::check_reply(**rules, *given))
    return placed(*std::move(why));
  to.answer = host::edited_answer{
    std::string{protocol::text_of(all, "participant_id")}, *std::move(given)};
  return {};
}

result<session_host::fork_place> read_place(const request& from,
                                            std::string session_id) {
  const auto body = object_of_body(from, fork_body_max);
  if (!body)
    return fail(body.error());
  session_host::fork_place made{.session_id = std::move(session_id)};
  for (const auto& [name, value] : *body) {
    result<void> read;
    if (name == "event_id" && value.is_string() && !value.get_string().empty())
      made.event_id = value.get_string();
    else if (name == "turn")
      read = read_turn(value, made);
    else if (name == "set")
      read = read_changes(value, made);
    else if (name == "answer")
      read = read_answer(value, made);
    else
      read = wrong("the body has `event_id`, a text, or `turn`, and may have "
                   "`set` and `answer`",
                   '/' + std::string{name});
    if (!read)
      return fail(std::move(read).error());
  }
  if (made.event_id.empty() != made.turn.has_value())
    return wrong("the body must have either `event_id` or `turn`", "");
  return made;
}

response why_not(protocol::error why, const request& from) {
  // It names the option of the command line.
  if (constexpr std::string_view option = "--set ";
      why.rule == "set" && why.message.starts_with(option))
    why.message.erase(0, option.size());
  if (why.rule == "fork_departs")
    return refusal(409, "fork_departs", why.message, {{"event_id", why.value}});
  // A scenario that the changes have broken; other reasons have rules.
  if (why.code == errc::activation_refused && why.rule != "participant_unbound"
      && why.rule != "permission_needed")
    return refusal(422, "scenario_invalid", why.message,
                   {{"errors", json::array{validation_error(why)}}});
  return refusal(why, from);
}

void fork(session_host& host, const request& from, const responder& to) {
  if (!from.by.session_id.empty())
    return to(refusal(403, "forbidden", "this key answers for one person"));
  const auto row = session_of(from, host);
  if (!row)
    return to(refusal(row.error(), from));
  auto place = read_place(from, row->session_id);
  if (!place)
    return to(refusal(place.error(), from));
  const auto text = std::make_shared<const request>(from);
  const bool begun = host.fork(
    *std::move(place),
    [to, text, source = row->session_id](const result<session_row>& made) {
      if (!made)
        return to(why_not(made.error(), *text));
      auto answer = json_response(201, {{"session_id", made->session_id},
                                        {"status", made->status},
                                        {"forked_from", source}});
      answer.headers.emplace_back("Location",
                                  "/v1/sessions/" + made->session_id);
      to(std::move(answer));
    },
    from.by.key_id);
  if (!begun)
    return to(overloaded());
  to.after(durable_limit, start_not_durable);
}

} // namespace

routes fork_routes(session_host& host) {
  return {{.method = "POST",
           .pattern = "/v1/sessions/{id}/fork",
           .scope = "runs:create",
           .call = [&host](const request& from, const responder& to) {
             fork(host, from, to);
           }}};
}

} // namespace convene::server
