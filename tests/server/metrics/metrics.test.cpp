#include "runtime/sample.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/runtime_counts.hpp>
#include <convene/server/metrics/server_metrics.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

using namespace convene;
using namespace convene::server;
using namespace convene::tests;
using Catch::Contains;

namespace {

/// The numbers once they have that line.
std::string text_with(server_metrics& metrics, const std::string& line) {
  for (int tries = 0; tries < 12'000; ++tries) {
    auto text = metrics.text();
    if (('\n' + text).find('\n' + line + '\n') != std::string::npos)
      return text;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  FAIL("never came: " << line << "\n" << metrics.text());
  return {};
}

} // namespace

TEST_CASE("sessions and turns are counted by mode and outcome") {
  convene::runtime runtime;
  const auto metrics = server_metrics::watch(runtime, [] { return 7U; });
  REQUIRE(metrics);
  std::size_t turns = 0;
  for (int count = 0; count < 3; ++count) {
    const auto ended = runtime.start(two_in(mode::pair)).await();
    REQUIRE(ended);
    turns += ended->turns;
  }
  const auto text = text_with(
    **metrics, "convene_sessions_ended_total{status=\"completed\"} 3");
  CHECK_THAT(text,
             Contains("convene_sessions_started_total{mode=\"pair\"} 3\n")
               && Contains("convene_sessions_open 7\n")
               && Contains("convene_turns_total{mode=\"pair\",outcome="
                           "\"completed\"} "
                           + std::to_string(turns) + '\n')
               && Contains("convene_turn_duration_seconds_count{mode=\"pair\"} "
                           + std::to_string(turns) + '\n')
               && Contains("convene_metrics_missed_events_total 0\n"));
}

TEST_CASE("tokens are counted as answers to turns and broadcasts use them") {
  convene::runtime runtime;
  const auto metrics = server_metrics::watch(runtime, [] { return 0U; });
  REQUIRE(metrics);
  CHECK_THAT((*metrics)->text(), Contains("convene_tokens_total 0\n"));
  std::size_t answers = 0;
  for (const auto which : {mode::round_robin, mode::broadcast}) {
    auto setup = two_in(which);
    for (auto& each : setup.participants)
      each = quick_agent(
        each.participant_id, each.role_id, [](const turn_request&) {
          return reply{.content = "x",
                       .usage = {.prompt_tokens = 10, .completion_tokens = 2}};
        });
    const auto ended = runtime.start(setup).await();
    REQUIRE(ended);
    answers += static_cast<std::size_t>(ended->usage.prompt_tokens) / 10;
  }
  REQUIRE(answers > 2);
  CHECK_THAT(text_with(**metrics,
                       "convene_tokens_total " + std::to_string(12 * answers)),
             Contains("convene_turns_total{mode=\"round_robin\""));
}

TEST_CASE("requests are counted by endpoint and status, never by path") {
  convene::runtime runtime;
  const auto metrics = server_metrics::watch(runtime, [] { return 7U; });
  REQUIRE(metrics);
  (*metrics)->count({.method = "GET",
                     .route = "/v1/sessions/{id}",
                     .status = 200,
                     .time = std::chrono::milliseconds{20}});
  (*metrics)->count({.method = "other", .route = "", .status = 404});
  (*metrics)->set_server([] { return http_counts{5, 2}; });
  const auto text = (*metrics)->text();
  CHECK_THAT(text,
             Contains("convene_http_requests_total{method=\"GET\",route="
                      "\"/v1/sessions/{id}\",status=\"200\"} 1\n")
               && Contains(
                 "convene_http_requests_total{method=\"other\",route=\"none\","
                 "status=\"404\"} 1\n")
               && Contains("convene_http_connections 5\n")
               && Contains("convene_http_streams 2\n")
               && Contains("convene_http_request_duration_seconds_bucket{route="
                           "\"/v1/sessions/{id}\",le=\"0.025\"} 1\n")
               && Contains("convene_http_request_duration_seconds_bucket{route="
                           "\"/v1/sessions/{id}\",le=\"0.005\"} 0\n"));
}

TEST_CASE("calls that tell of the ends of runs are counted by what became of "
          "them") {
  convene::runtime runtime;
  const auto metrics = server_metrics::watch(runtime, [] { return 7U; });
  REQUIRE(metrics);
  CHECK_THAT((*metrics)->text(), Contains("convene_run_callbacks_owed 0\n"));
  callback_counts now;
  (*metrics)->set_callbacks([&now] { return now; });
  for (std::uint64_t i = 1; i <= 2; ++i) {
    now = {.delivered = 5 * i, .failed = 3 * i, .given_up = i, .owed = 4 - i};
    const auto count = [](std::uint64_t number) {
      return std::to_string(number) + '\n';
    };
    CHECK_THAT(
      (*metrics)->text(),
      Contains("convene_run_callback_calls_total{outcome=\"delivered\"} "
               + count(5 * i))
        && Contains("convene_run_callback_calls_total{outcome=\"failed\"} "
                    + count(3 * i))
        && Contains("convene_run_callbacks_given_up_total " + count(i))
        && Contains("convene_run_callbacks_owed " + count(4 - i)));
  }
}

TEST_CASE("logs and queues are shown as they are asked for") {
  convene::runtime runtime;
  const auto metrics = server_metrics::watch(runtime, [] { return 7U; });
  REQUIRE(metrics);
  CHECK_THAT((*metrics)->text(),
             Contains("convene_log_bytes_total{log=\"sessions\"} 0\n"));
  work_counts now;
  (*metrics)->set_work([&now] { return now; });
  for (std::size_t i = 1; i <= 2; ++i) {
    now = {.session_log = {.bytes = 500 * i, .waiting = 50 / i},
           .run_log = {.bytes = 300 * i, .waiting = 30 / i},
           .participant_jobs = 8 / i,
           .session_jobs = 6 / i,
           .run_jobs = 4 / i};
    const auto text = (*metrics)->text();
    const auto shows = [&text](const std::string& what, std::size_t number) {
      return ('\n' + text)
               .find('\n' + what + ' ' + std::to_string(number) + '\n')
             != std::string::npos;
    };
    CHECK(shows("convene_log_bytes_total{log=\"sessions\"}", 500 * i));
    CHECK(shows("convene_log_bytes_total{log=\"runs\"}", 300 * i));
    CHECK(shows("convene_log_waiting_bytes{log=\"sessions\"}", 50 / i));
    CHECK(shows("convene_log_waiting_bytes{log=\"runs\"}", 30 / i));
    CHECK(shows("convene_queue_jobs{queue=\"participants\"}", 8 / i));
    CHECK(shows("convene_queue_jobs{queue=\"sessions\"}", 6 / i));
    CHECK(shows("convene_queue_jobs{queue=\"runs\"}", 4 / i));
  }
}

TEST_CASE("a runtime's log says how much it has, and has yet to keep") {
  const scratch_folder folder;
  convene::runtime runtime{{.log = folder / "log"}};
  REQUIRE(runtime.start(two_in(mode::pair)).await());
  REQUIRE(runtime.flush());
  const auto counts = host::counts_of(runtime);
  CHECK(counts.log.bytes > 0);
  CHECK(counts.log.waiting == 0);
  CHECK(counts.jobs == 0);
  const convene::runtime without;
  CHECK(host::counts_of(without).log.bytes == 0);
}

TEST_CASE("the numbers are only for keys that may see them") {
  convene::runtime runtime;
  const auto metrics = server_metrics::watch(runtime, [] { return 7U; });
  REQUIRE(metrics);
  CHECK((*metrics)->endpoint().scope == "server:metrics");
}

TEST_CASE("promtool finds nothing to say about the numbers") {
  if (std::system("promtool --version >/dev/null 2>&1") != 0) {
    WARN("promtool is not installed: not run");
    return;
  }
  convene::runtime runtime;
  const auto metrics = server_metrics::watch(runtime, [] { return 7U; });
  REQUIRE(metrics);
  REQUIRE(runtime.start(two_in(mode::pair)).await());
  (*metrics)->count({.method = "GET", .route = "/healthz", .status = 200});
  (*metrics)->set_callbacks([] { return callback_counts{1, 2, 3, 4}; });
  (*metrics)->set_work([] { return work_counts{{3, 2}, {1, 0}, 3, 2, 1}; });
  const auto text = text_with(
    **metrics, "convene_sessions_ended_total{status=\"completed\"} 1");
  auto* const judge = popen("promtool check metrics", "w");
  REQUIRE(judge != nullptr);
  std::fwrite(text.data(), 1, text.size(), judge);
  CHECK(pclose(judge) == 0);
}
