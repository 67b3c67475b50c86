#include <catch2/catch.hpp>
#include <convene/lab/load/assertion.hpp>

#include <memory>

using namespace convene::host;
using Catch::Contains;

namespace {

struct sample {
  std::unique_ptr<load_figures> figures = std::make_unique<load_figures>();
  load_rates rates{.sessions = 100,
                   .turns = 800,
                   .events = 1700,
                   .bytes = 500'000,
                   .errors = 0.02,
                   .turn_errors = 0};

  sample() {
    auto& sessions
      = figures->times[static_cast<std::size_t>(load_measure::session)];
    auto& turns = figures->times[static_cast<std::size_t>(load_measure::turn)];
    for (std::uint64_t i = 1; i <= 100; ++i) {
      sessions.record(i * 100'000); // up to 10 ms
      turns.record(i);
    }
  }
};

bool holds(const std::string& text) {
  const sample all;
  const auto parsed = load_assertion::parse(text);
  INFO(text);
  REQUIRE(parsed);
  return parsed->holds(parsed->value_in(*all.figures, all.rates));
}

} // namespace

TEST_CASE("an assertion compares a figure with a limit") {
  CHECK(holds("p99<10ms"));
  CHECK_FALSE(holds("p99<9ms"));
  CHECK(holds("session.p50 >= 5ms"));
  CHECK_FALSE(holds("p50>5.1ms"));
  CHECK(holds("turn.max<=100ns"));
  CHECK_FALSE(holds("turn.max<100ns"));
  CHECK(holds("turn.mean<0.06us"));
  CHECK(holds("session.p99.99<1s"));
  CHECK(holds("errors<3%"));
  CHECK_FALSE(holds("errors<2%"));
  CHECK(holds("errors<=2%"));
  CHECK(holds("turn_errors<=0%"));
  CHECK(holds("sessions/s>99"));
  CHECK_FALSE(holds("turns/s>800"));
  CHECK(holds("events/s>=1700"));
  CHECK(holds("bytes/s<1000000"));
}

TEST_CASE("what was not measured does not hold, and says so") {
  const sample all;
  const auto parsed = load_assertion::parse("log.p99<1s");
  REQUIRE(parsed);
  const auto value = parsed->value_in(*all.figures, all.rates);
  CHECK_FALSE(parsed->holds(value));
  CHECK(parsed->shown(value) == "nothing measured");
}

TEST_CASE("an assertion that cannot be read says what can be") {
  for (const std::string text :
       {"",         "p99",           "p99=5ms",    "p99<",
        "p99<5",    "p99<5 parsecs", "p99<-1ms",   "p99<1e3ms",
        "p0<1ms",   "p100<1ms",      "p-5<1ms",    "pnan<1ms",
        "p<1ms",    "turn<1ms",      "turn.<1ms",  "trun.p99<1ms",
        "errors<1", "errors<5ms",    "turns/s>1%", "turns/s>5ms",
        "turns/s>", "<5ms",          "p99<infs"}) {
    const auto parsed = load_assertion::parse(text);
    INFO(text);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().rule == "assertion");
    CHECK(parsed.error().code == convene::protocol::errc::usage);
  }
  CHECK_FALSE(load_assertion::parse("turns/s<inf"));
  CHECK_THAT(load_assertion::parse("eror<1%").error().message,
             Contains("did you mean \"errors\"?"));
}

TEST_CASE("a time is shown in the unit that suits it") {
  CHECK(shown_time(0) == "0.00ns");
  CHECK(shown_time(740) == "740ns");
  CHECK(shown_time(4'214) == "4.21us");
  CHECK(shown_time(42'140'000) == "42.1ms");
  CHECK(shown_time(3.2e9) == "3.20s");
}
