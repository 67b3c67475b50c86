#include <convene/protocol/base/byte_buffer.hpp>
#include <convene/protocol/json/json_writer.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/run_api/answers.hpp>
#include <convene/server/run_api/bodies.hpp>
#include <convene/server/run_api/interrupt_routes.hpp>
#include <convene/server/run_api/interrupt_tokens.hpp>
#include <convene/server/runs/run_catalog.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace convene::server {
namespace {

using host_run = std::shared_ptr<hosted_run>;

/// What came of an answer, as text at once: of an exchange there is little else
/// to say.
response answered(const run_outcome& made, std::string_view node_id) {
  protocol::byte_buffer text;
  {
    protocol::json_writer to{text};
    to.raw(R"({"runId":)").string(made.run_id);
    to.raw(R"(,"status":)").string(protocol::to_word(made.status));
    to.raw(R"(,"nodeId":)").string(node_id);
    if (const auto& turn = made.conversation) {
      to.raw(R"(,"conversation":{"operation":)");
      to.string(protocol::to_word(turn->operation));
      to.raw(R"(,"conversationId":)").string(turn->conversation_id);
      to.raw(R"(,"turnIndex":)").number(turn->turn_index);
      to.raw(R"(,"messageId":)").string(turn->message_id);
      to.raw(R"(,"duplicate":)");
      to.raw(std::string_view{made.is_duplicate ? "true}" : "false}"});
    }
    to.raw("}");
  }
  return {.body = std::string{text.view()}};
}

/// Feeds a run an answer, and tells what came of it.
void answer_run(run_host& host, const host_run& run,
                session::resolve_interrupt answer, const responder& to) {
  const auto node_id = answer.node_id;
  host.feed(run, std::move(answer), [to, node_id](const run_outcome& made) {
    tell(to, made, [&] { return answered(made, node_id); });
  });
}

/// The node of an answer that names none: the only one that waits.
protocol::result<std::string> only_waiting(hosted_run& run) {
  const std::lock_guard lock{run.mutex};
  const auto waiting = open_interrupts(run.machine);
  if (waiting.size() == 1)
    return waiting.front().node_id;
  protocol::error why{.code = protocol::errc::invalid_document,
                      .message = "add \"nodeId\": no node waits for an answer",
                      .rule = "required"};
  if (!waiting.empty())
    why.message = "add \"nodeId\": " + std::to_string(waiting.size())
                  + " nodes wait for answers";
  return protocol::fail(std::move(why));
}

/// The group of the turn that answers a conversation; empty: it has none.
std::string_view group_of(const boost::json::value& resume_value) {
  const auto* const members = resume_value.if_object();
  return members == nullptr
           ? std::string_view{}
           : protocol::text_of(protocol::object_of(*members, "turn"),
                               "groupId");
}

using claim_use = std::function<void(const host_run&, const interrupt_claim&,
                                     const request&, const responder&)>;

/// An endpoint whose path has a token: what is done if that counts.
handler on_claim(run_host& host, const token_signer& signer, claim_use use) {
  return [&host, signer, use = std::move(use)](const request& asked,
                                               const responder& to) {
    const auto claim = read_token(signer, asked.parameters.at("token"));
    if (!claim)
      return to(
        openwop_error(404, "interrupt_not_found", "unknown interrupt token"));
    if (has_expired(*claim))
      return to(openwop_error(410, "interrupt_expired",
                              "the token's time is over; ask who gave it to "
                              "you for another"));
    with_run(host, claim->run_id, asked, to,
             [use, claim = *claim](const host_run& run, const request& from,
                                   const responder& back) {
               use(run, claim, from, back);
             });
  };
}

} // namespace

handler resolve_interrupt(run_host& host) {
  return on_run(host, [&host](const host_run& run, const request& asked,
                              const responder& to) {
    auto answer = read_answer(asked);
    if (!answer)
      return to(invalid(answer.error()));
    if (!view_of(asked).sees(group_of(answer->resume_value)))
      return to(openwop_error(403, "forbidden",
                              "the key belongs to other groups than the turn"));
    if (answer->node_id.empty()) {
      auto node = only_waiting(*run);
      if (!node)
        return to(invalid(node.error()));
      answer->node_id = *std::move(node);
    }
    answer->resolved_by = who(asked);
    answer_run(host, run, *std::move(answer), to);
  });
}

handler inspect_token(run_host& host, const token_signer& signer) {
  return on_claim(
    host, signer,
    [&host](const host_run& run, const interrupt_claim& what, const request&,
            const responder& to) {
      auto found = describe_interrupt(*run, what);
      // What could not be written is not told either.
      if (const auto why = run->fault())
        return to(failure(*why));
      host.when_durable([to, found = std::move(found)](const auto& kept) {
        if (!kept)
          return to(failure(kept.error()));
        if (!found)
          return to(
            openwop_error(409, "interrupt_already_resolved",
                          "the question has been answered or withdrawn"));
        auto answer = json_response(200, *found);
        answer.headers.emplace_back("Cache-Control", "no-store");
        to(std::move(answer));
      });
    });
}

handler resolve_token(run_host& host, const token_signer& signer) {
  return on_claim(host, signer,
                  [&host](const host_run& run, const interrupt_claim& what,
                          const request& asked, const responder& to) {
                    auto value = read_resume_value(asked);
                    if (!value)
                      return to(invalid(value.error()));
                    answer_run(host, run,
                               {.node_id = what.node_id,
                                .resume_value = *std::move(value),
                                .resolved_by = "token",
                                .interrupt_id = what.interrupt_id},
                               to);
                  });
}

} // namespace convene::server
