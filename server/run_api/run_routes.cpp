#include <boost/json/serialize.hpp>
#include <convene/server/run_api/answers.hpp>
#include <convene/server/run_api/bodies.hpp>
#include <convene/server/run_api/discovery.hpp>
#include <convene/server/run_api/interrupt_routes.hpp>
#include <convene/server/run_api/interrupt_tokens.hpp>
#include <convene/server/run_api/run_list.hpp>
#include <convene/server/run_api/run_routes.hpp>
#include <convene/server/runs/run_stream.hpp>

#include <chrono>
#include <limits>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;
using host_run = std::shared_ptr<hosted_run>;

constexpr std::int64_t poll_default_s = 30;
constexpr std::int64_t poll_max_s = 60;

response created(const run_outcome& made, json::object more = {}) {
  const auto at = "/v1/runs/" + made.run_id;
  auto body = status_of(made);
  body["eventsUrl"] = at + "/events";
  body["statusUrl"] = at;
  body.insert(more.begin(), more.end());
  auto answer = json_response(201, body);
  answer.headers.emplace_back("Location", at);
  return answer;
}

// -- runs

void create_run(run_host& host, const request& asked, const responder& to) {
  auto order = read_run_order(asked);
  if (!order)
    return to(invalid(order.error()));
  const auto* workflow = host.workflows().find(order->workflow_id);
  if (workflow == nullptr)
    return to(openwop_error(404, "not_found", "there is no workflow of this id",
                            {{"workflowId", order->workflow_id}}));
  if (const auto lacks = protocol::find_missing_capability(
        *workflow->checked, host.has_conversations()))
    return to(
      openwop_error(400, "capability_required",
                    "the workflow needs a capability that this server has not",
                    {{"requiredCapability", lacks->capability},
                     {"offendingTypeId", lacks->type_id},
                     {"nodeId", lacks->node_id}}));
  host.create(*workflow, std::move(order->how), [to](const run_outcome& made) {
    tell(to, made, [&made] { return created(made); });
  });
}

handler get_run(run_host& host, const token_signer& signer) {
  return [&host, signer](const request& asked, const responder& to) {
    with_run(host, asked.parameters.at("id"), to, [&](const host_run& run) {
      const bool may_answer = asked.by.may("approvals:respond");
      host.snapshot(run, [to, run, signer,
                          may_answer](protocol::result<json::object> made) {
        if (!made)
          return to(failure(made.error()));
        // Who has a token can answer.
        if (may_answer)
          add_tokens(*made, *run, signer);
        to(json_response(200, *made));
      });
    });
  };
}

/// An input without an answer of its own.
handler control(run_host& host, unsigned status,
                session::run_input (*make)(std::string, const request&)) {
  return [&host, status, make](const request& asked, const responder& to) {
    with_run(host, asked.parameters.at("id"), to, [&](const host_run& run) {
      auto reason = read_reason(asked);
      if (!reason)
        return to(invalid(reason.error()));
      host.feed(run, make(*std::move(reason), asked),
                [to, status](const run_outcome& made) {
                  tell(to, made,
                       [&] { return json_response(status, status_of(made)); });
                });
    });
  };
}

session::run_input cancel(std::string reason, const request& asked) {
  return session::cancel_run{.reason = std::move(reason),
                             .cancelled_by = who(asked)};
}

session::run_input pause(std::string reason, const request&) {
  return session::pause_run{std::move(reason)};
}

session::run_input resume(std::string reason, const request&) {
  return session::resume_run{std::move(reason)};
}

void fork_run(run_host& host, const request& asked, const responder& to) {
  if (!asked.by.may("runs:read"))
    return to(openwop_error(403, "forbidden",
                            "the key may not read runs, which a fork does",
                            {{"scopeRequired", "runs:read"}}));
  with_run(host, asked.parameters.at("id"), to, [&](const host_run& run) {
    auto how = read_fork(asked);
    if (!how)
      return to(invalid(how.error()));
    const json::object more{{"sourceRunId", to_string(run->id)},
                            {"fromSeq", how->from_seq},
                            {"mode", protocol::to_word(how->mode)}};
    host.fork(run, *how, [to, more](const run_outcome& made) {
      tell(to, made, [&] { return created(made, more); });
    });
  });
}

// -- events

/// `{"events": [...], "isComplete"}`, of the texts as they are.
response events_body(const run_record::slice& from) {
  std::string body{R"({"events":[)"};
  for (std::size_t i = 0; i < from.events.size(); ++i) {
    body += i == 0 ? "" : ",";
    body += *from.events[i];
  }
  body += R"(],"isComplete":)";
  body += from.is_complete ? "true}" : "false}";
  return {.body = std::move(body)};
}

bool wants_json(const request& asked) {
  const auto accept = asked.header("accept");
  return accept.find("application/json") != accept.npos
         && accept.find("text/event-stream") == accept.npos;
}

void stream_events(run_host& host, const request& asked, const responder& to) {
  with_run(host, asked.parameters.at("id"), to, [&](const host_run& run) {
    stream_refusal refused;
    const auto modes = read_stream_modes(asked.parameter_of_query("streamMode"),
                                         asked.parameter_of_query("bufferMs"),
                                         refused);
    if (!modes) {
      json::object details;
      if (refused.code == "unsupported_stream_mode")
        details["supported"] = json::array(std::begin(stream_mode_words),
                                           std::end(stream_mode_words));
      return to(
        openwop_error(400, refused.code, refused.message, std::move(details)));
    }
    if (wants_json(asked))
      return to(events_body(run->record->read(0, all_events)));
    const auto from = read_last_event_id(asked);
    if (!from)
      return to(invalid(from.error()));
    to({.content_type = "text/event-stream",
        .headers = {{"Cache-Control", "no-store"}},
        .stream = std::make_shared<run_stream>(run, *modes, *from,
                                               host.timer())});
  });
}

void poll_events(run_host& host, const request& asked, const responder& to) {
  with_run(host, asked.parameters.at("id"), to, [&](const host_run& run) {
    const auto last = read_number(asked, "lastSequence", 0,
                                  std::numeric_limits<std::int32_t>::max(), -1);
    const auto timeout = read_number(asked, "timeout", 1, poll_max_s,
                                     poll_default_s);
    if (!last || !timeout)
      return to(invalid(last ? timeout.error() : last.error()));
    const auto from = static_cast<std::size_t>(*last + 1);
    const auto make = [run, from] {
      return events_body(run->record->read(from, all_events));
    };
    const auto number = run->record->when_more(from,
                                               [to, make] { to(make()); });
    if (number != 0)
      to.after(std::chrono::seconds{*timeout}, [run, number, make] {
        run->record->forget(number);
        return make();
      });
  });
}

// -- workflows

void get_workflow(run_host& host, const request& asked, const responder& to) {
  const auto* found = host.workflows().find(asked.parameters.at("id"));
  if (found == nullptr)
    return to(
      openwop_error(404, "not_found", "there is no workflow of this id"));
  to(json_response(200, found->definition));
}

} // namespace

routes run_routes(run_host& host, const token_signer& signer,
                  const implementation_info& about) {
  using function = void (*)(run_host&, const request&, const responder&);
  routes all;
  const auto add = [&all](std::string method, std::string pattern,
                          std::string scope, handler call) {
    all.push_back({.method = std::move(method),
                   .pattern = std::move(pattern),
                   .scope = std::move(scope),
                   .call = std::move(call),
                   .errors = error_form::openwop});
  };
  const auto on_host = [&host](function call) {
    return [&host, call](const request& asked, const responder& to) {
      call(host, asked, to);
    };
  };
  add("GET", "/.well-known/openwop", "", discovery(host, about));
  add("GET", "/v1/workflows/{id}", "manifest:read", on_host(get_workflow));
  add("POST", "/v1/runs", "runs:create", on_host(create_run));
  add("GET", "/v1/runs", "runs:read", on_host(list_runs));
  add("GET", "/v1/runs/{id}", "runs:read", get_run(host, signer));
  add("GET", "/v1/runs/{id}/events", "runs:read", on_host(stream_events));
  add("GET", "/v1/runs/{id}/events/poll", "runs:read", on_host(poll_events));
  for (const auto* pattern : {"/v1/runs/{id}/cancel", "/v1/runs/{id}:cancel"})
    add("POST", pattern, "runs:cancel", control(host, 200, cancel));
  add("POST", "/v1/runs/{id}:pause", "runs:cancel", control(host, 202, pause));
  add("POST", "/v1/runs/{id}:resume", "runs:cancel",
      control(host, 202, resume));
  add("POST", "/v1/runs/{id}:fork", "runs:create", on_host(fork_run));
  for (const auto* pattern :
       {"/v1/runs/{id}/interrupts/{node}", "/v1/runs/{id}:resolveInterrupt"})
    add("POST", pattern, "approvals:respond", resolve_interrupt(host));
  add("GET", "/v1/interrupts/{token}", "", inspect_token(host, signer));
  add("POST", "/v1/interrupts/{token}", "", resolve_token(host, signer));
  return all;
}

} // namespace convene::server
