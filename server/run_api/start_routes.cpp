#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/workflow/workflow.hpp>
#include <convene/server/run_api/answers.hpp>
#include <convene/server/run_api/bodies.hpp>
#include <convene/server/run_api/repeated_run.hpp>
#include <convene/server/run_api/start_routes.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;
using host_run = std::shared_ptr<hosted_run>;

response created(const run_outcome& made, const json::object& more = {}) {
  const auto at = "/v1/runs/" + made.run_id;
  auto body = status_of(made);
  body["eventsUrl"] = at + "/events";
  body["statusUrl"] = at;
  body.insert(more.begin(), more.end());
  auto answer = json_response(201, body);
  answer.headers.emplace_back("Location", at);
  return answer;
}

/// A start that was asked for again: the run as it stands by now.
void tell_again(run_host& host, const host_run& run, const responder& to) {
  host.snapshot(run, [to, run](const protocol::result<json::object>& made) {
    if (!made)
      return to(failure(made.error()));
    run_outcome was{.run_id = to_string(run->id)};
    if (const auto status = protocol::from_word<session::run_status>(
          protocol::text_of(*made, "status")))
      was.status = *status;
    auto answer = created(was);
    answer.headers.emplace_back("openwop-Idempotent-Replay", "true");
    to(std::move(answer));
  });
}

constexpr int dedup_retry_s = 5;

/// An exclusive start met a run of the same tenant and scope.
response already_active(const protocol::error& why, std::string_view reached) {
  auto made = openwop_error(409, "run_already_active", why.message,
                            {{"activeRunId", why.value},
                             {"activeHost", reached},
                             {"retryAfter", dedup_retry_s}});
  made.headers.emplace_back("Retry-After", std::to_string(dedup_retry_s));
  made.is_of_key = false; // it may start once the other one has ended
  return made;
}

/// Refuses the header by which test keys choose an engine version: all keys
/// are production keys here.
bool refuses_engine_version(const request& asked, const responder& to) {
  if (!asked.headers.contains("x-force-engine-version"))
    return false;
  to(openwop_error(403, "force_engine_version_forbidden",
                   "X-Force-Engine-Version is for test keys, which this server "
                   "does not have: leave it out"));
  return true;
}

/// Begins it once it is on disk who is told of its end.
void begin_run(run_host& host, run_callbacks& callbacks,
               const registered_workflow& of, run_order order,
               std::optional<protocol::uuid> id, const request& asked,
               const responder& to) {
  const auto told =
    [to, reached = std::string{asked.header("host")}](const run_outcome& made) {
      if (made.failure && made.failure->rule == "run_already_active")
        return to(already_active(*made.failure, reached));
      tell(to, made, [&made] { return created(made); });
    };
  const bool is_exclusive = order.is_exclusive;
  const auto& key = asked.by.key_id;
  if (!order.callback_url)
    return host.create(of, std::move(order.how), told, id, is_exclusive, key);
  const auto which = id ? *id : protocol::uuid_source::from_entropy().next();
  callbacks.expect(which, *order.callback_url,
                   [&host, &callbacks, &of, which, to, told, is_exclusive, key,
                    how = std::move(order.how)](
                     const protocol::result<void>& kept) mutable {
                     if (!kept)
                       return to(failure(kept.error()));
                     host.create(
                       of, std::move(how),
                       [&callbacks, which, told](const run_outcome& made) {
                         if (made.failure || made.refusal)
                           callbacks.forget(which);
                         told(made);
                       },
                       which, is_exclusive, key);
                   });
}

/// Why no run can be made of a workflow.
response no_workflow(const run_host& host, const std::string& id) {
  for (const auto& each : host.workflows().refused())
    if (each.id == id && each.lacks)
      return openwop_error(400, "validation_error",
                           "the workflow needs a capability that this server "
                           "does not have",
                           {{"requiredCapability", each.lacks->capability},
                            {"offendingTypeId", each.lacks->type_id},
                            {"nodeId", each.lacks->node_id}});
  return openwop_error(404, "not_found", "there is no workflow of this id",
                       {{"workflowId", id}});
}

void start_run(run_host& host, run_callbacks& callbacks, const request& asked,
               const responder& to) {
  if (refuses_engine_version(asked, to))
    return;
  auto order = read_run_order(asked);
  if (!order)
    return to(invalid(order.error()));
  const auto* workflow = host.workflows().find(order->workflow_id);
  if (workflow == nullptr)
    return to(no_workflow(host, order->workflow_id));
  if (order->callback_url && !asked.by.may("runs:read"))
    return to(openwop_error(403, "forbidden",
                            "the key may not read runs, whose last event a "
                            "callbackUrl gets",
                            {{"scopeRequired", "runs:read"}}));
  if (order->callback_url)
    if (auto may = callbacks.check(*order->callback_url); !may) {
      may.error().pointer = "/callbackUrl";
      return to(invalid(may.error()));
    }
  order->how.callback_digest = callback_digest(asked, *order);
  const auto before = find_repetition(host, asked, *order);
  if (before.is_other) {
    auto other
      = openwop_error(409, "idempotency_key_mismatch",
                      "the Idempotency-Key was used for another request");
    other.is_of_key = false; // which may be repeated yet
    return to(std::move(other));
  }
  if (before.run)
    return tell_again(host, before.run, to);
  begin_run(host, callbacks, *workflow, *std::move(order), before.id, asked,
            to);
}

void begin_fork(run_host& host, const host_run& of, const request& asked,
                const responder& to) {
  if (refuses_engine_version(asked, to))
    return;
  auto how = read_fork(asked);
  if (!how)
    return to(invalid(how.error()));
  const json::object more{{"sourceRunId", to_string(of->id)},
                          {"fromSeq", how->from_seq},
                          {"mode", protocol::to_word(how->mode)}};
  host.fork(
    of, *how,
    [to, more](const run_outcome& made) {
      tell(to, made, [&] { return created(made, more); });
    },
    asked.by.key_id);
}

} // namespace

handler create_run(run_host& host, run_callbacks& callbacks) {
  return [&host, &callbacks](const request& asked, const responder& to) {
    start_run(host, callbacks, asked, to);
  };
}

handler fork_run(run_host& host) {
  return [fork = on_run(host, [&host](const host_run& of, const request& asked,
                                      const responder& to) {
            begin_fork(host, of, asked, to);
          })](const request& asked, const responder& to) {
    if (!asked.by.may("runs:read"))
      return to(openwop_error(403, "forbidden",
                              "the key may not read runs, which a fork does",
                              {{"scopeRequired", "runs:read"}}));
    fork(asked, to);
  };
}

} // namespace convene::server
