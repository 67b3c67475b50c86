#include <boost/json/serialize.hpp>
#include <convene/server/run_api/answers.hpp>
#include <convene/server/run_api/bodies.hpp>
#include <convene/server/run_api/discovery.hpp>
#include <convene/server/run_api/event_list.hpp>
#include <convene/server/run_api/interrupt_list.hpp>
#include <convene/server/run_api/interrupt_routes.hpp>
#include <convene/server/run_api/interrupt_tokens.hpp>
#include <convene/server/run_api/run_list.hpp>
#include <convene/server/run_api/run_routes.hpp>
#include <convene/server/run_api/start_routes.hpp>
#include <convene/server/runs/run_stream.hpp>

#include <chrono>
#include <limits>
#include <memory>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;
using host_run = std::shared_ptr<hosted_run>;

constexpr std::int64_t poll_default_s = 30;
constexpr std::int64_t poll_max_s = 60;
/// Room for a turn or an answer.
constexpr std::size_t token_body_bytes_max = std::size_t{512} << 10;

// -- runs

json::object seen(const turn_view& view, json::object made) {
  if (view.sees_all())
    return made;
  json::value whole = std::move(made);
  view.apply(whole);
  return std::move(whole.as_object());
}

handler get_run(run_host& host, const token_signer& signer) {
  return on_run(host, [&host, signer](const host_run& run, const request& asked,
                                      const responder& to) {
    const bool may_answer = asked.by.may("approvals:respond");
    host.snapshot(run, [to, run, signer, may_answer, view = view_of(asked)](
                         protocol::result<json::object> made) {
      if (!made)
        return to(failure(made.error()));
      // Who has a token can answer, and see all turns.
      if (may_answer && view.sees_all())
        add_tokens(*made, *run, signer);
      to(json_response(200, seen(view, *std::move(made))));
    });
  });
}

/// An input without an answer of its own.
handler control(run_host& host, unsigned status,
                session::run_input (*make)(control_order, const request&)) {
  return on_run(host, [&host, status, make](const host_run& run,
                                            const request& asked,
                                            const responder& to) {
    auto order = read_control(asked);
    if (!order)
      return to(invalid(order.error()));
    host.feed(run, make(*std::move(order), asked),
              [to, status](const run_outcome& made) {
                tell(to, made,
                     [&] { return json_response(status, status_of(made)); });
              });
  });
}

session::run_input cancel(control_order how, const request& asked) {
  return session::cancel_run{.reason = std::move(how.reason),
                             .cancelled_by = who(asked)};
}

session::run_input pause(control_order how, const request&) {
  return session::pause_run{std::move(how.reason), std::move(how.drain_policy)};
}

session::run_input resume(control_order how, const request&) {
  return session::resume_run{std::move(how.reason)};
}

// -- events

bool wants_json(const request& asked) {
  const auto accept = asked.header("accept");
  return accept.find("application/json") != accept.npos
         && accept.find("text/event-stream") == accept.npos;
}

/// A run that cannot be read is not there.
run_finder finder_of(run_host& host, const protocol::uuid& run) {
  const auto id = to_string(run);
  return {.near = [&host, id] { return host.find_near(id); },
          .load =
            [&host, id](std::function<void(bool)> then) {
              return host.do_apart([&host, id, then = std::move(then)] {
                const auto found = host.find(id);
                then(found != nullptr && !found->fault());
              });
            }};
}

handler stream_events(run_host& host) {
  return on_run(host, [&host](const host_run& run, const request& asked,
                              const responder& to) {
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
      return to(event_list(run->record->read(0, all_events), view_of(asked)));
    const auto from = read_last_event_id(asked);
    if (!from)
      return to(invalid(from.error()));
    to({.content_type = "text/event-stream",
        .headers = {{"Cache-Control", "no-store"}},
        .stream = std::make_shared<run_stream>(run, *modes, *from, host.timer(),
                                               finder_of(host, run->id),
                                               view_of(asked))});
  });
}

handler poll_events(run_host& host) {
  return on_run(host, [](const host_run& run, const request& asked,
                         const responder& to) {
    const auto last = read_number(asked, "lastSequence", 0,
                                  std::numeric_limits<std::int32_t>::max(), -1);
    const auto timeout = read_number(asked, "timeout", 1, poll_max_s,
                                     poll_default_s);
    if (!last || !timeout)
      return to(invalid(last ? timeout.error() : last.error()));
    const auto from = static_cast<std::size_t>(*last + 1);
    const auto view = view_of(asked);
    const auto make = [run, from, view] {
      return event_list(run->record->read(from, all_events), view);
    };
    const std::chrono::seconds time{*timeout};
    // Weak, since the run's record keeps what waits. A reader that goes away
    // before tells nobody.
    const auto number = run->record->when_more(
      from,
      [to, from, view, weak = std::weak_ptr{run->record}] {
        if (const auto record = weak.lock())
          to(event_list(record->read(from, all_events), view));
      },
      run_record::clock::now() + time + std::chrono::seconds{1});
    if (number != 0)
      to.after(time, [run, number, make] {
        run->record->forget(number);
        return make();
      });
  });
}

// -- workflows

void list_workflows(run_host& host, const request&, const responder& to) {
  json::array served;
  for (const auto& [id, each] : host.workflows().all())
    served.push_back({{"id", id},
                      {"name", each.checked->definition.name},
                      {"version", each.checked->definition.version}});
  json::array refused;
  for (const auto& each : host.workflows().refused()) {
    json::object row{{"file", each.file},
                     {"message", each.why.message},
                     {"rule", each.why.rule},
                     {"path", each.why.pointer}};
    if (!each.id.empty())
      row["id"] = each.id;
    refused.push_back(std::move(row));
  }
  to(json_response(200, {{"workflows", std::move(served)},
                         {"refused", std::move(refused)}}));
}

void get_workflow(run_host& host, const request& asked, const responder& to) {
  const auto* found = host.workflows().find(asked.parameters.at("id"));
  if (found == nullptr)
    return to(
      openwop_error(404, "not_found", "there is no workflow of this id"));
  to(json_response(200, found->definition));
}

} // namespace

routes run_routes(run_host& host, run_callbacks& callbacks,
                  const token_signer& signer,
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
  add("GET", "/v1/workflows", "manifest:read", on_host(list_workflows));
  add("GET", "/v1/workflows/{id}", "manifest:read", on_host(get_workflow));
  add("POST", "/v1/runs", "runs:create", create_run(host, callbacks));
  add("GET", "/v1/runs", "runs:read", on_host(list_runs));
  add("GET", "/v1/runs/{id}", "runs:read", get_run(host, signer));
  add("GET", "/v1/runs/{id}/events", "runs:read", stream_events(host));
  add("GET", "/v1/runs/{id}/events/poll", "runs:read", poll_events(host));
  for (const auto* pattern : {"/v1/runs/{id}/cancel", "/v1/runs/{id}:cancel"})
    add("POST", pattern, "runs:cancel", control(host, 200, cancel));
  add("POST", "/v1/runs/{id}:pause", "runs:cancel", control(host, 202, pause));
  add("POST", "/v1/runs/{id}:resume", "runs:cancel",
      control(host, 202, resume));
  add("POST", "/v1/runs/{id}:fork", "runs:create", fork_run(host));
  for (const auto* pattern :
       {"/v1/runs/{id}/interrupts/{node}", "/v1/runs/{id}:resolveInterrupt"})
    add("POST", pattern, "approvals:respond", resolve_interrupt(host));
  add("GET", "/v1/interrupts", "approvals:respond", on_host(list_interrupts));
  add("GET", "/v1/interrupts/{token}", "", inspect_token(host, signer));
  add("POST", "/v1/interrupts/{token}", "", resolve_token(host, signer));
  // Nobody who may send one is known before the token is looked at.
  all.back().body_bytes_max = token_body_bytes_max;
  return all;
}

} // namespace convene::server
