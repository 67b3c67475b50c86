#include <boost/json/serialize.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/participants/approval.hpp>
#include <convene/runtime/outside/participants/line_worker.hpp>
#include <convene/runtime/outside/participants/process.hpp>
#include <convene/runtime/outside/participants/request_json.hpp>
#include <convene/runtime/outside/participants/trace_headers.hpp>
#include <spdlog/spdlog.h>

#include <utility>

namespace convene::host {
namespace {

namespace json = protocol::json;

using protocol::action_result;
using protocol::action_status;
using protocol::reply;

constexpr int temporary_failure = 75; // EX_TEMPFAIL of sysexits.h

when_error_line log_lines_of(const std::string& participant_id) {
  return [participant_id](std::string_view line) {
    spdlog::info("{}: {}", participant_id, line);
  };
}

/// The line of a request, with the key of this call.
std::string with_key(const std::string& request, const std::string& key) {
  return R"({"idempotency_key":)" + json::serialize(json::string{key}) + ','
         + request.substr(1);
}

} // namespace

action_result action_result_of(program_result how, const program& of) {
  action_result made;
  made.status = how.end.status;
  if (!how.end.code.empty()) {
    made.error = {.code = how.end.code, .message = how.end.message};
    made.error.transient = how.end.exit_code == temporary_failure
                           || how.end.code == "programs_max"
                           || how.end.code == "system_limit";
    return made;
  }
  auto value = protocol::parse_json(how.output);
  if (value) {
    made.output = *std::move(value);
    return made;
  }
  made.status = action_status::failed;
  made.error.code = "invalid_output";
  made.error.message = name_of(of)
                       + (how.output.empty() ? " wrote nothing; "
                                             : " wrote no JSON; ")
                       + "a reply is a JSON object on standard output, such as "
                         "{\"content\": \"...\"}";
  if (of.secrets) // before it is cut
    of.secrets->mask(how.output);
  if (!how.output.empty())
    made.error.message
      += ": " + protocol::to_string(value.error())
         + "; what it wrote begins with "
         + protocol::quote(protocol::sanitize_utf8(how.output.substr(0, 64)));
  return made;
}

reply reply_of(const action_result& how, std::string_view name) {
  if (how.status != action_status::completed)
    return failed_reply(how.error.code, how.error.message);
  auto made = protocol::decode_reply(how.output);
  if (made)
    return *std::move(made);
  return failed_reply("invalid_reply",
                      "the reply of " + std::string{name}
                        + " is not valid: " + protocol::to_string(made.error())
                        + "; it begins with "
                        + protocol::shorten_value(how.output));
}

process_behaviour::process_behaviour(std::string participant_id,
                                     process_settings how, program what,
                                     std::shared_ptr<processes> on,
                                     std::shared_ptr<people> approvers)
  : participant_id_{std::move(participant_id)}, how_{std::move(how)},
    what_{std::make_shared<program>(std::move(what))}, on_{std::move(on)},
    approvers_{std::move(approvers)} {
  if (how_.mode == process_mode::lines)
    worker_ = std::make_shared<line_worker>(*what_,
                                            log_lines_of(participant_id_), on_);
}

actors::attempt_function
process_behaviour::attempt_with(std::string request) const {
  if (worker_)
    return [worker = worker_, what = what_, text = std::move(request)](
             const actors::attempt& which, actors::when_acted then) {
      return worker->ask(
        with_trace(with_key(text, which.idempotency_key), which.trace),
        which.timeout_ms, [what, then = std::move(then)](program_result how) {
          then(action_result_of(std::move(how), *what));
        });
    };
  return [on = on_, what = what_, errors = log_lines_of(participant_id_),
          text = std::move(request)](const actors::attempt& which,
                                     actors::when_acted then) {
    auto started = *what;
    started.limits.time_ms = which.timeout_ms;
    started.environment.push_back("CONVENE_IDEMPOTENCY_KEY="
                                  + which.idempotency_key);
    add_trace_variables(started.environment, which.trace);
    return on->run_once(std::move(started), text + '\n', errors,
                        [what, then = std::move(then)](program_result how) {
                          then(action_result_of(std::move(how), *what));
                        });
  };
}

void process_behaviour::begin(actors::turn_request asked) {
  protocol::action what;
  what.position = "0";
  what.kind = protocol::action_kind::process;
  what.name = how_.command.front();
  what.arguments = json::object{
    {"command", json::array(how_.command.begin(), how_.command.end())}};
  what.repeatable = how_.repeatable;
  what.timeout_ms = how_.timeout_ms;
  actors::retry_policy retry;
  retry.attempts = static_cast<std::uint32_t>(how_.retries) + 1;
  auto request = to_json(asked, how_.workspace == process_workspace::changes
                                  ? workspace_part::changes
                                  : workspace_part::snapshot);
  auto text = json::serialize(request);
  what.question = question_of(std::move(request));
  const auto live = asked.live;
  auto then = [live, name = how_.command.front()](const action_result& how) {
    live->answer(reply_of(how, name));
  };
  auto carry_out = [live, what, retry, how = attempt_with(std::move(text)),
                    then] { live->act(what, retry, how, then); };
  if (how_.approve.empty())
    return carry_out();
  ask_approval(port_of(live), approvers_, asked, what, std::move(carry_out),
               then);
}

} // namespace convene::host
