#pragma once

#include "runtime/outside/http/calls.hpp"
#include "runtime/outside/http/raw_server.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <convene/runtime/outside/participants/llm.hpp>

#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace convene::tests {

namespace json = protocol::json;

/// A chat completion as it is streamed: text, and calls as {name, arguments}.
struct said_by_model {
  std::string text;
  std::vector<std::pair<std::string, std::string>> calls;
  std::string finish = {}; ///< empty: as it must be
};

[[nodiscard]] inline raw_answer streamed(const said_by_model& what) {
  json::array calls;
  for (std::size_t i = 0; i < what.calls.size(); ++i)
    calls.push_back(json::object{
      {"index", i},
      {"id", "call-" + std::to_string(i)},
      {"function", json::object{{"name", what.calls[i].first},
                                {"arguments", what.calls[i].second}}}});
  const auto finish = !what.finish.empty() ? what.finish
                      : what.calls.empty() ? "stop"
                                           : "tool_calls";
  const auto chunk = [](json::object delta, json::value end) {
    return "data: "
           + json::serialize(json::object{
             {"choices", json::array{json::object{{"index", 0},
                                                  {"delta", delta},
                                                  {"finish_reason", end}}}}})
           + "\n\n";
  };
  return answer_with(chunk({{"content", what.text}}, nullptr)
                       + chunk({{"tool_calls", calls}}, json::string(finish))
                       + "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":"
                         "100,\"completion_tokens\":10}}\n\ndata: [DONE]\n\n",
                     "text/event-stream");
}

/// A model that answers what it is told to, one after another.
class scripted_model {
public:
  explicit scripted_model(std::vector<said_by_model> script)
    : script_(std::move(script)),
      server_([this](const std::string& request, std::size_t number) {
        const std::lock_guard lock{mutex_};
        requests_.push_back(request);
        return streamed(script_.at(number));
      }) {
    // nop
  }

  [[nodiscard]] host::llm_settings settings() const {
    return {.base_url = server_.url("/v1"), .model = "m"};
  }

  /// The body of its n-th request.
  [[nodiscard]] json::value prompt(std::size_t n) {
    const std::lock_guard lock{mutex_};
    const auto& request = requests_.at(n);
    return json::parse(request.substr(request.find("\r\n\r\n") + 4));
  }

  /// All that it was ever sent.
  [[nodiscard]] std::vector<std::string> requests() {
    const std::lock_guard lock{mutex_};
    return requests_;
  }

private:
  std::vector<said_by_model> script_;
  std::mutex mutex_;
  std::vector<std::string> requests_;
  raw_server server_;
};

/// Actions as they were begun, with what came of them.
struct acted {
  protocol::action what;
  protocol::action_result result;
};

/// What came of a turn.
struct turn_outcome {
  protocol::reply reply;
  std::vector<acted> actions;
};

/// Tries at once, as often as it may.
inline void try_action(const protocol::action& what,
                       const actors::attempt_function& how,
                       std::uint32_t number, std::uint32_t most,
                       const actors::when_acted& then) {
  how({.number = number,
       .idempotency_key = "key-" + what.position,
       .timeout_ms = what.timeout_ms},
      [=](protocol::action_result got) {
        const bool again = got.status != protocol::action_status::completed
                           && got.error.transient && number < most;
        if (again)
          return try_action(what, how, number + 1, most, then);
        then(std::move(got));
      });
}

/// Runs one turn to its reply. Results of `before` are not acted for again.
[[nodiscard]] inline turn_outcome
run_turn(const host::llm_settings& settings, host::llm_surroundings with,
         actors::turn_request asked, std::vector<acted> before = {}) {
  if (!with.http)
    with.http = std::make_shared<host::paced_client>(
      std::make_shared<host::http_client>(local_options()));
  struct shared {
    std::mutex mutex;
    std::vector<acted> actions;
    std::promise<protocol::reply> reply;
  };
  auto state = std::make_shared<shared>();
  auto future = state->reply.get_future();
  host::turn_port port{
    .act =
      [state, before](protocol::action what, actors::retry_policy retry,
                      actors::attempt_function how, actors::when_acted then) {
        const auto keep = [state, what,
                           then](const protocol::action_result& got) {
          {
            const std::lock_guard lock{state->mutex};
            state->actions.push_back({what, got});
          }
          then(got);
        };
        for (const auto& each : before)
          if (each.what.position == what.position) {
            const bool same = each.what.arguments == what.arguments;
            keep(same ? each.result
                      : protocol::action_result{
                        .status = protocol::action_status::failed,
                        .error = {.code = "action_changed"}});
            return;
          }
        try_action(what, how, 1, retry.attempts, keep);
      },
    .answer =
      [state](protocol::reply what) {
        state->reply.set_value(std::move(what));
      }};
  port.perform = [act = port.act](const actors::executor& by,
                                  std::string position, json::value arguments,
                                  actors::when_acted then) {
    const auto what = actors::action_of(by, std::move(position),
                                        std::move(arguments));
    act(what, by.retry, actors::attempts_of(by, what), std::move(then));
  };
  host::llm_behaviour model{settings, std::move(with)};
  model.begin(std::move(asked), port);
  turn_outcome outcome{.reply = future.get()};
  const std::lock_guard lock{state->mutex};
  outcome.actions = state->actions;
  return outcome;
}

} // namespace convene::tests
