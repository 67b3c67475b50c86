#include <convene/runtime/outside/client/client_link.hpp>

#include <condition_variable>
#include <mutex>
#include <utility>

namespace convene {
namespace {

/// An answer that another thread gives.
struct awaited {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<host::http_answer> answer; ///< guarded, like the rest
  bool stopped = false;
};

} // namespace

client::link::link(client_options options)
  : options_{std::move(options)},
    // Who names a server means it, wherever it is.
    http_{{.may_connect = [](const host::http_peer&) { return true; },
           .ca_file = options_.ca_file}} {}

host::http_request client::link::request(std::string method,
                                         const std::string& path) const {
  host::http_request made{.method = std::move(method),
                          .url = options_.server + path,
                          .timeout_ms = options_.timeout_ms,
                          .body_bytes_max = answer_bytes_max};
  if (!options_.key.empty())
    made.headers.push_back({"Authorization", "Bearer " + options_.key});
  return made;
}

std::optional<host::http_answer>
client::link::wait_for(host::http_request what, const std::stop_token& stop) {
  const auto state = std::make_shared<awaited>();
  const auto cancel = http_.start(std::move(what),
                                  [state](host::http_answer got) {
                                    const std::lock_guard held{state->mutex};
                                    state->answer = std::move(got);
                                    state->changed.notify_all();
                                  });
  const std::stop_callback at_stop{stop, [&state] {
                                     const std::lock_guard held{state->mutex};
                                     state->stopped = true;
                                     state->changed.notify_all();
                                   }};
  std::unique_lock held{state->mutex};
  state->changed.wait(held, [&] { return state->answer || state->stopped; });
  if (!state->answer)
    cancel();
  return std::exchange(state->answer, {});
}

protocol::result<boost::json::object>
client::link::call(host::http_request what, const std::stop_token& stop) {
  const auto got = wait_for(std::move(what), stop);
  if (!got)
    return protocol::fail(protocol::errc::io_failed,
                          "the wait for an answer was stopped", "call_stopped");
  return host::read_answer(*got);
}

protocol::result<boost::json::object>
client::link::get(const std::string& path) {
  return call(request("GET", path));
}

protocol::result<boost::json::object>
client::link::post(const std::string& path, std::string body,
                   std::string_view idempotency_key,
                   const std::stop_token& stop) {
  auto made = request("POST", path);
  made.headers.push_back({"Content-Type", "application/json"});
  if (!idempotency_key.empty())
    made.headers.push_back({"Idempotency-Key", std::string{idempotency_key}});
  made.body = std::move(body);
  made.repeatable = false;
  return call(std::move(made), stop);
}

} // namespace convene
