#include "rig.hpp"

#include <convene/runtime/outside/client/client.hpp>
#include <convene/server/http/http_server.hpp>
#include <server/http/kept_port.hpp>

#include <future>

using namespace convene;
using namespace convene::tests;

namespace {

/// The session API on a port of its own, which a restart keeps.
class api_by_http {
public:
  explicit api_by_http(std::filesystem::path data) : data_{std::move(data)} {
    start();
  }

  void start() {
    auto opened
      = server::session_host::open({.data = data_, .runtime = {.threads = 2}});
    REQUIRE(opened);
    host_ = *std::move(opened);
    auto made = server::http_server::start({{.port = port_.number()},
                                            server::session_routes(*host_),
                                            {},
                                            anybody()});
    REQUIRE(made);
    server_ = *std::move(made);
  }

  void stop() {
    server_.reset();
    host_.reset();
  }

  [[nodiscard]] client open() const {
    constexpr std::int64_t minutes = 60'000;
    auto made = client::open({.server = server_->url(),
                              .timeout_ms = 5 * minutes,
                              .silence_ms = 5 * minutes,
                              .reconnect_ms = 5 * minutes});
    REQUIRE(made);
    return *std::move(made);
  }

private:
  std::filesystem::path data_;
  kept_port port_;
  std::unique_ptr<server::session_host> host_;
  std::unique_ptr<server::http_server> server_;
};

/// The question that is open, or will be.
turn_request next_question(const client& by) {
  for (int tries = 0;; ++tries) {
    auto found = by.questions({.participant = "ana", .wait_ms = 20'000});
    REQUIRE(found);
    if (!found->all.empty())
      return found->all.front();
    REQUIRE(tries < 10);
  }
}

} // namespace

TEST_CASE(
  "a client starts a session, answers its person and observes it to its "
  "end, over a restart") {
  const scratch_folder folder;
  api_by_http server{folder.path()};
  const auto by = server.open();
  const auto scenario = json::parse(with_person(2));
  const auto id = by.start_session(scenario, "first");
  REQUIRE(id);
  CHECK(by.start_session(scenario, "first") == *id); // the same request
  std::vector<std::uint64_t> seen;
  std::string last;
  auto observing = std::async(std::launch::async, [&] {
    return by.observe_session(*id, [&](const observed_event& event) {
      seen.push_back(event.sequence);
      last = event.type;
      return true;
    });
  });

  const auto first = next_question(by);
  CHECK(first.session_id == *id);
  CHECK(first.task == "Write a line");
  CHECK(first.dialog().back().content == "A line.");
  CHECK(first.workspace.find({"doc", "line"})->value == "A line.");
  server.stop();
  server.start();
  CHECK(next_question(by).token == first.token);
  const auto accepted = by.answer(first.token, "", {.content = "ok"});
  REQUIRE(accepted);
  CHECK(accepted->participant == "ana");
  CHECK_FALSE(accepted->duplicate);
  CHECK(by.answer(first.token, "ana", {.content = "ok"})->duplicate);
  const auto other = by.answer(first.token, "ana", {.content = "no"});
  REQUIRE_FALSE(other);
  CHECK(other.error().rule == "request_already_answered");
  const auto second = next_question(by);
  CHECK(second.token != first.token);
  REQUIRE(by.answer(second.token, "ana", {.content = "done"}));

  const auto observed = observing.get();
  REQUIRE(observed);
  CHECK(observed->ended);
  CHECK(last == "MAPSessionCompleted");
  CHECK(seen.size() == observed->last);
  for (std::size_t i = 0; i < seen.size(); ++i)
    REQUIRE(seen[i] == i + 1);
  const auto state = by.session(*id);
  REQUIRE(state);
  CHECK(state->at("status") == "completed");
  // From its end on there is nothing.
  const auto again = by.observe_session(
    *id, [](const auto&) { return true; }, observed->last);
  REQUIRE(again);
  CHECK(again->ended);
}

TEST_CASE("a client learns that a question timed out, and what is wrong with a "
          "scenario or a reply") {
  const scratch_folder folder;
  const api_by_http server{folder.path()};
  const auto by = server.open();
  REQUIRE(by.start_session(
    json::parse(with_person(10'000, R"(,"turn_timeout_ms":300)"))));
  const auto asked = next_question(by);
  const auto wrong = by.answer(asked.token, "ana",
                               {.handoff = protocol::handoff{.to = "nobody"}});
  REQUIRE_FALSE(wrong);
  // Until the question has closed.
  REQUIRE(
    by.observe_session(asked.session_id, [&asked](const observed_event& event) {
      return event.type != "MAPTurnCompleted"
             || event.text.find(asked.token) == std::string::npos;
    }));
  const auto late = by.answer(asked.token, "ana", {.content = "ok"});
  REQUIRE_FALSE(late);
  CHECK(late.error().rule == "request_over");
  CHECK(late.error().value == "timed_out");
  const auto refused = by.start_session(json::object{{"convene", "1"}});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == protocol::errc::invalid_document);
  CHECK(refused.error().rule == "scenario_invalid");
  CHECK(by.session("00000000-0000-4000-8000-000000000000").error().rule
        == "session_unknown");
}

TEST_CASE("a client speaks with nobody whose certificate it does not trust") {
  const std::string certificate = CONVENE_SOURCE_DIR
    "/tests/runtime/outside/http/self_signed.pem"; // with its key
  const auto made = server::http_server::start(
    {{.port = 0,
      .tls = server::tls_files{.certificate = certificate, .key = certificate}},
     {{.method = "GET",
       .pattern = "/v1/requests",
       .call = [](const request&, const server::responder& to) {
         to({.body = R"({"requests":[],"more":false})"});
       }}}});
  REQUIRE(made);
  const client_options strict{.server = (*made)->url(), .key = "planted"};
  const auto refused = client::open(strict)->questions();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "tls_failed");
  CHECK(refused.error().code == protocol::errc::unreadable);
  auto trusting = strict;
  trusting.ca_file = certificate;
  CHECK(client::open(trusting)->questions());
}
