#include <convene/protocol/base/glob.hpp>
#include <convene/protocol/documents/approval.hpp>
#include <convene/runtime/outside/participants/approval.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {
namespace {

using protocol::action_result;
using protocol::action_status;

action_result not_done(std::string code, std::string message) {
  return {.status = action_status::failed,
          .error = {.code = std::move(code), .message = std::move(message)}};
}

/// Who is asked: a person, or a name that no participant has, so that none can
/// answer by a key of its own.
protocol::participant approver_in(const actors::turn_request& asked) {
  protocol::participant nobody{
    .participant_id = std::string{protocol::any_approver}};
  if (!asked.about)
    return nobody;
  const auto& all = asked.about->participants;
  const auto person = std::ranges::find(all, protocol::participant_kind::human,
                                        &protocol::participant::kind);
  if (person != all.end())
    return *person;
  while (std::ranges::find(all, nobody.participant_id,
                           &protocol::participant::participant_id)
         != all.end())
    nobody.participant_id += '_';
  return nobody;
}

/// The turn's request as the person gets it: what is asked is the call alone.
actors::turn_request question_for(const protocol::participant& whom,
                                  const actors::turn_request& asked,
                                  const protocol::action& call,
                                  const protocol::action& question) {
  auto made = asked;
  made.kind = session::request_kind::turn;
  made.participant = whom.participant_id;
  made.role = whom.role_id.value_or("");
  made.role_name.clear();
  made.duty = approver_duty;
  made.token = protocol::approval_token(asked.token, question.position);
  made.approval
    = {.participant = asked.participant,
       .kind = call.kind,
       .name = call.name,
       .arguments = call.arguments,
       .sha256 = protocol::approval_digest(call, asked.participant)};
  made.limited = false;
  made.resources.clear();
  made.handoff = {};
  made.missed = {};
  made.decide = {};
  made.dispute = {};
  made.workspace = {};
  made.earlier = {};
  made.live = {};
  return made;
}

/// Begins to ask; what is returned withdraws the question.
actors::cancel_function begin_question(const std::shared_ptr<people>& where,
                                       actors::turn_request question,
                                       const actors::when_acted& then) {
  question.live = std::make_shared<actors::live_turn>(
    [then, by = question.participant,
     call = question.approval.name](const protocol::reply& said) {
      // What does not say clearly that it is approved, refuses it.
      const auto what = protocol::verdict_of(said).value_or(
        protocol::approval_verdict{false, said.content});
      then({.output = protocol::approval_output(what, by, call)});
    });
  const auto live = question.live;
  where->ask(std::move(question));
  return [live] { live->close(); };
}

} // namespace

bool is_for_approval(const std::vector<std::string>& patterns,
                     std::string_view name) {
  return std::ranges::any_of(patterns, [name](const std::string& pattern) {
    return protocol::matches_glob(pattern, name);
  });
}

void ask_approval(const turn_port& port, const std::shared_ptr<people>& where,
                  const actors::turn_request& asked,
                  const protocol::action& call, std::function<void()> carry_out,
                  actors::when_acted then) {
  if (!where)
    return then(
      not_done("approver_needed", "there is no person to approve this call"));
  const auto whom = approver_in(asked);
  auto question = protocol::approval_of(call, asked.participant,
                                        whom.participant_id,
                                        !actors::is_for_blob(call.arguments));
  auto to_person = question_for(whom, asked, call, question);
  port.act(
    std::move(question), {},
    [where, to_person = std::move(to_person)](const actors::attempt&,
                                              const actors::when_acted& told) {
      return begin_question(where, to_person, told);
    },
    [carry_out = std::move(carry_out),
     then = std::move(then)](action_result got) {
      if (got.status != action_status::completed)
        return then(std::move(got));
      const auto what = protocol::verdict_in(got.output);
      if (what && what->approved)
        return carry_out();
      const auto reason = what ? what->reason : std::string{};
      then(not_done("not_approved",
                    "a person refused this call, and it was not carried out"
                      + (reason.empty() ? "" : "; their reason: " + reason)));
    });
}

} // namespace convene::host
