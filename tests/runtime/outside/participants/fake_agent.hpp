#pragma once

#include "runtime/outside/http/calls.hpp"
#include "runtime/outside/http/raw_server.hpp"
#include "runtime/outside/participants/answered.hpp"

#include <convene/runtime/outside/participants/a2a.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace convene::tests {

/// A request as a server hears it.
struct heard_request {
  std::string line; ///< "POST /message:send"
  std::string headers;
  std::string body;
};

inline heard_request parse_request(const std::string& request) {
  const auto first = request.find("\r\n");
  const auto end = request.find("\r\n\r\n");
  const auto line = request.substr(0, first);
  return {.line = line.substr(0, line.rfind(' ')),
          .headers = request.substr(first, end - first) + "\r\n",
          .body = request.substr(end + 4)};
}

/// A remote agent: its card, and what it answers to everything else.
class fake_agent {
public:
  using answering
    = std::function<raw_answer(const heard_request&, std::size_t number)>;

  explicit fake_agent(answering how) : how_(std::move(how)) {
    card = interface_card(R"("HTTP+JSON")");
  }

  std::string card;

  /// A card with one interface, here.
  [[nodiscard]] std::string interface_card(const std::string& binding,
                                           const std::string& more = {}) const {
    return R"({"name": "agent", "supportedInterfaces": [{"url": ")"
           + server_.url("/a2a/") + R"(", "protocolBinding": )" + binding
           + R"(, "protocolVersion": "1.0"}])" + more + "}";
  }

  [[nodiscard]] std::string url(const std::string& path) const {
    return server_.url(path);
  }

  [[nodiscard]] std::vector<heard_request> heard() {
    const std::lock_guard held{mutex_};
    return heard_;
  }

  /// The first lines of what it heard.
  [[nodiscard]] std::vector<std::string> lines() {
    std::vector<std::string> all;
    for (const auto& each : heard())
      all.push_back(each.line);
    return all;
  }

  /// Waits until it heard this, for some minutes.
  [[nodiscard]] bool hears(const std::string& line) {
    for (int i = 0; i < 20'000; ++i) {
      for (const auto& each : lines())
        if (each == line)
          return true;
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    return false;
  }

private:
  raw_answer answer(const std::string& request) {
    auto what = parse_request(request);
    std::size_t number = 0;
    {
      const std::lock_guard held{mutex_};
      heard_.push_back(what);
      if (what.line != "GET /card")
        number = calls_++;
    }
    return what.line == "GET /card" ? answer_with(card) : how_(what, number);
  }

  answering how_;
  std::mutex mutex_;
  std::vector<heard_request> heard_;
  std::size_t calls_ = 0;
  raw_server server_{[this](const std::string& request, std::size_t) {
    return answer(request);
  }};
};

inline raw_answer message_answer(const std::string& parts) {
  return answer_with(R"({"message": {"messageId": "m", "role": "ROLE_AGENT",
    "parts": [)" + parts
                     + "]}}");
}

inline std::string task_text(const std::string& state,
                             const std::string& more = {}) {
  return R"({"id": "t/1", "status": {"state": "TASK_STATE_)" + state + '"'
         + more + "}}";
}

inline raw_answer task_answer(const std::string& state,
                              const std::string& more = {}) {
  return answer_with(R"({"task": )" + task_text(state, more) + "}");
}

inline std::string status_message(const std::string& text) {
  return R"(, "message": {"parts": [{"text": ")" + text + R"("}]})";
}

inline host::host_access may_go_anywhere(const host::url_origin&) {
  return host::host_access::with_key;
}

/// A participant, and what it works with.
struct caller {
  std::shared_ptr<host::paced_client> http
    = std::make_shared<host::paced_client>(
      std::make_shared<host::http_client>(local_options()));
  std::shared_ptr<host::parting_calls> partings
    = std::make_shared<host::parting_calls>();
  host::a2a_behaviour who;

  explicit caller(host::a2a_settings settings, const std::string& key = {},
                  host::host_judge may = may_go_anywhere)
    : who(std::move(settings), {http, partings, key, std::move(may)}) {
    // nop
  }

  ~caller() {
    partings->wait(std::chrono::minutes{2});
  }
};

inline protocol::reply ask_agent(host::a2a_settings settings,
                                 const std::string& key = {},
                                 host::host_judge may = may_go_anywhere) {
  caller by{std::move(settings), key, std::move(may)};
  return test::answer_of(by.who, test::a_turn_of("go"));
}

inline std::string header_in(const heard_request& request,
                             const std::string& name) {
  const auto at = request.headers.find("\r\n" + name + ": ");
  if (at == std::string::npos)
    return {};
  const auto begin = at + name.size() + 4;
  return request.headers.substr(begin,
                                request.headers.find("\r\n", begin) - begin);
}

} // namespace convene::tests
