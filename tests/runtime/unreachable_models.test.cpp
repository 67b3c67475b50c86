#include "sample.hpp"

#include <catch2/catch.hpp>

#include <atomic>

using namespace convene;
using namespace convene::tests;

namespace {

/// Two who take turns for ten rounds, each answered by a model at `url`.
session::spec models_at(const std::string& url) {
  auto made = simulated_in(mode::round_robin, 7);
  made.behaviours
    = {{"*",
        {{"type", "llm"}, {"model", "m"}, {"retries", 1}, {"base_url", url}}}};
  made.options.rounds = 10;
  return made;
}

} // namespace

TEST_CASE("a session whose models cannot be called ends with one's retries") {
  runtime_options how;
  // Nobody listens at port 1.
  REQUIRE(how.allow.allow("net=127.0.0.1:1"));
  convene::runtime rt{how};
  std::atomic<int> failed = 0;
  auto session
    = rt.start(models_at("http://127.0.0.1:1/v1"),
               {.observer = [&](std::string_view, std::string_view lines) {
                 constexpr std::string_view end = "\"action_ended\"";
                 for (auto at = lines.find(end); at != lines.npos;
                      at = lines.find(end, at + 1))
                   ++failed;
               }});
  const auto ended = session.await();
  REQUIRE(ended);
  CHECK(ended->stop_reason.condition == "cancelled");
  CHECK_THAT(ended->stop_reason.observed,
             Catch::Contains("no participant's model can be called")
               && Catch::Contains("127.0.0.1:1"));
  // The retries of one, and what the next one had begun.
  CHECK(failed <= 3);
}
