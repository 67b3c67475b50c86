#include <convene/protocol/base/catch_error.hpp>
#include <convene/protocol/documents/trace_context.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/participants/participant_host.hpp>
#include <spdlog/spdlog.h>

// The turns of participants that run here.

namespace convene::server {
namespace {

response wrong(unsigned status, std::string_view code,
               std::string_view message) {
  auto made = error_response(error_form::native, status, code, message);
  made.is_of_key = false;
  return made;
}

/// What its attempts at actions hand on.
actors::attempt_tracer
tracer_of(std::shared_ptr<const session::session_info> about,
          const turn_order& order) {
  return [about = std::move(about), who = order.asked.participant,
          token = order.asked.token](const std::string& position,
                                     std::uint32_t attempt) {
    return protocol::trace_context_of(about->session_id, about->trace_context,
                                      {.participant = who,
                                       .token = token,
                                       .position = position,
                                       .number = attempt});
  };
}

std::shared_ptr<actors::live_turn>
live_turn_of(hosted_turn& turn, std::shared_ptr<const session::session_info> of,
             turn_order& order) {
  session::request asked{.kind = order.asked.kind,
                         .token = *protocol::parse_uuid(order.asked.token)};
  if (!order.before.all.empty())
    asked.actions = std::move(order.before);
  return std::make_shared<actors::live_turn>(turn.link(), order.self, asked,
                                             order.left_ms,
                                             tracer_of(std::move(of), order));
}

/// Has it answered, now or later.
void answer_by(actors::behaviour& who, hosted_turn& turn,
               actors::turn_request asked) {
  const auto threw = actors::catch_error([&] {
    if (who.answers_later())
      return who.begin(std::move(asked));
    auto made = who.respond(asked);
    if (!made.silent)
      turn.answer_after(std::chrono::milliseconds{made.delay_ms},
                        std::move(made.reply));
  });
  if (threw)
    turn.answer({.status = protocol::reply_status::failed,
                 .error = {.code = "behaviour_threw", .message = *threw}});
}

} // namespace

void participant_host::begin_turn(const request& from, const responder& to) {
  const auto found = find(from, to);
  if (!found)
    return;
  const auto body = protocol::parse_json(from.body);
  const auto* const object = body ? body->if_object() : nullptr;
  auto order = object == nullptr
                 ? protocol::fail(protocol::errc::invalid_document,
                                  "a turn is a JSON object", "node_message")
                 : decode_turn(*object, *found->about);
  if (!order || order->asked.participant != found->of.who().participant_id)
    return to(wrong(400, "node_message",
                    order ? "the turn is that of another participant"
                          : to_string(order.error())));
  const auto turn = begin_turn_of(*found, *std::move(order));
  if (!turn)
    return to(wrong(409, "turn_begun", "this turn has begun before"));
  to({.content_type = "application/x-ndjson",
      .body = {},
      .stream = turn->reader()});
}

std::shared_ptr<hosted_turn> participant_host::begin_turn_of(seat& who,
                                                             turn_order order) {
  const std::lock_guard lock{who.mutex};
  if (who.turn && who.turn->token() == order.asked.token)
    return nullptr;
  if (who.turn)
    who.turn->abandon();
  who.used_at = clock::now();
  ++turns_;
  const auto turn = std::make_shared<hosted_turn>(who.of.key,
                                                  order.asked.token);
  who.turn = turn;
  const auto live = live_turn_of(*turn, who.about, order);
  turn->set_live(live);
  order.asked.live = live;
  answer_by(*who.behaviour, *turn, std::move(order.asked));
  return turn;
}

void participant_host::notice(const request& from, const responder& to) {
  const auto found = find(from, to);
  if (!found)
    return;
  const auto body = protocol::parse_json(from.body);
  const auto* const object = body ? body->if_object() : nullptr;
  if (object == nullptr)
    return to(wrong(400, "node_message", "a notice is a JSON object"));
  std::shared_ptr<hosted_turn> turn;
  {
    const std::lock_guard lock{found->mutex};
    turn = found->turn;
  }
  const std::string token{protocol::text_of(*object, "token")};
  const auto live = turn && turn->token() == token ? turn->live() : nullptr;
  if (!live)
    return to(wrong(409, "turn_over", "this turn is over"));
  const auto n = protocol::integer_of(*object, "n").value_or(-1);
  const auto text = open_line(protocol::text_of(*object, "line"), found->of.key,
                              notice_label(token),
                              static_cast<std::uint64_t>(n));
  const auto said = n < 0 || !text
                      ? protocol::fail(protocol::errc::invalid_document,
                                       "a notice does not prove its turn",
                                       "turn_unproven")
                      : protocol::parse_json(*text);
  if (!said || !said->is_object()) {
    spdlog::warn("a notice of node {} was refused: it does not prove that it "
                 "belongs to this turn",
                 protocol::quote(found->of.by.name));
    return to(wrong(403, "turn_unproven",
                    "the notice does not prove that it belongs to this turn"));
  }
  if (turn->is_new(static_cast<std::uint64_t>(n))) {
    const auto& what = said->get_object();
    const std::string position{protocol::text_of(what, "position")};
    const auto code = protocol::text_of(what, "refused");
    if (code.empty())
      live->actions().started(position);
    else
      live->actions().refused(position, code);
  }
  to({.status = 204, .content_type = {}});
}

} // namespace convene::server
