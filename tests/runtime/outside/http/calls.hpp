#pragma once

#include <convene/runtime/outside/http/http_client.hpp>

#include <future>
#include <memory>

namespace convene::tests {

/// A client that may connect to loopback.
[[nodiscard]] inline host::http_options local_options() {
  return {.may_connect = [](const host::http_peer&) { return true; }};
}

/// Makes a call and waits for what comes of it.
[[nodiscard]] inline host::http_answer call(host::http_client& by,
                                            host::http_request what) {
  auto done = std::make_shared<std::promise<host::http_answer>>();
  auto answer = done->get_future();
  by.start(std::move(what),
           [done](host::http_answer got) { done->set_value(std::move(got)); });
  return answer.get();
}

} // namespace convene::tests
