#include "asked.hpp"

#include <catch2/catch.hpp>
#include <convene/actors/behaviours/simulated.hpp>
#include <convene/session/options/options.hpp>
#include <convene/session/workspace/workspace.hpp>

#include <algorithm>
#include <array>

using namespace convene;
using namespace convene::actors;
using protocol::reply_status;

namespace {

answer nth(const simulation& how, std::uint32_t n, std::uint64_t seed = 1) {
  return simulated_behaviour{how, seed, "a"}.respond(asked::turn("it", n));
}

/// How many of 10,000 answers are such.
template <class Predicate>
int count(const simulation& how, Predicate such) {
  int found = 0;
  for (std::uint32_t n = 0; n < 10'000; ++n)
    found += such(nth(how, n));
  return found;
}

bool failed(const answer& x) {
  return x.reply.status == reply_status::failed;
}

bool declined(const answer& x) {
  return x.reply.status == reply_status::declined;
}

bool silent(const answer& x) {
  return x.silent;
}

const distribution usual{distribution::shape::lognormal, 800, 6000};

} // namespace

TEST_CASE("a simulated participant completes unless odds are against it") {
  CHECK(nth({}, 0) == answer{.reply = {.content = "simulated: it"}});
  CHECK(nth({.content = "yes"}, 0) == answer{.reply = {.content = "yes"}});
}

TEST_CASE("what is simulated follows from seed, participant and request") {
  const simulation how{
    .latency = usual, .silence = 0.1, .failure = 0.2, .decline = 0.3};
  simulated_behaviour one{how, 5, "a"};
  std::vector<answer> forwards;
  for (std::uint32_t n = 0; n < 100; ++n)
    forwards.push_back(one.respond(asked::turn("it", n)));
  simulated_behaviour other{how, 5, "a"};
  for (std::uint32_t n = 100; n-- > 0;)
    CHECK(other.respond(asked::turn("it", n)) == forwards[n]);
  const auto changed = [&](std::uint64_t seed, std::string_view id) {
    simulated_behaviour another{how, seed, id};
    std::uint32_t n = 0;
    return std::ranges::any_of(forwards, [&](const answer& x) {
      return another.respond(asked::turn("it", n++)) != x;
    });
  };
  CHECK_FALSE(changed(5, "a"));
  CHECK(changed(6, "a"));
  CHECK(changed(5, "b"));
}

TEST_CASE("a seed means the same answers on every machine") {
  const simulation how{.latency = usual};
  std::vector<std::int64_t> delays;
  for (std::uint32_t n = 0; n < 5; ++n)
    delays.push_back(nth(how, n, 42).delay_ms);
  CHECK(delays == std::vector<std::int64_t>{1193, 3170, 131, 876, 617});
}

TEST_CASE("odds are kept to") {
  const simulation how{
    .silence = 0.05, .failure = 0.1, .decline = 0.2, .end = 0.5};
  CHECK(count(how, silent) == Approx(500).margin(70));
  CHECK(count(how, failed) == Approx(1000).margin(100));
  CHECK(count(how, declined) == Approx(2000).margin(130));
  CHECK(count(how, [](const answer& x) { return x.reply.end; })
        == Approx(3250).margin(150));
}

TEST_CASE("odds of 1 and 0 are certain") {
  CHECK(count({.silence = 1}, silent) == 10'000);
  CHECK(count({.failure = 1}, failed) == 10'000);
  CHECK(count({.decline = 1}, declined) == 10'000);
  CHECK(count({}, [](const answer& x) { return x != nth({}, 0); }) == 0);
  CHECK(nth({.failure = 1}, 0).reply.error.code == "simulated_failure");
  CHECK_FALSE(nth({.failure = 1, .end = 1}, 0).reply.end);
}

TEST_CASE("latencies have the shape that was asked for") {
  const auto sorted = [](const distribution& how) {
    std::vector<std::int64_t> all;
    for (std::uint32_t n = 0; n < 10'000; ++n)
      all.push_back(nth({.latency = how}, n).delay_ms);
    std::ranges::sort(all);
    return all;
  };
  SECTION("constant") {
    const auto all = sorted({distribution::shape::constant, 5});
    CHECK(all.front() == 5);
    CHECK(all.back() == 5);
  }
  SECTION("uniform") {
    const auto all = sorted({distribution::shape::uniform, 10, 20});
    CHECK(all.front() == 10);
    CHECK(all.back() == 20);
    CHECK(all[5'000] == 15);
  }
  SECTION("lognormal") {
    const auto all = sorted(usual);
    CHECK(all.front() > 0);
    CHECK(double(all[5'000]) == Approx(800).epsilon(0.05));
    CHECK(double(all[9'900]) == Approx(6'000).epsilon(0.15));
  }
}

TEST_CASE("a lognormal latency meets its median and its 99th percentile") {
  CHECK(usual.at(0.5) == 800);
  CHECK(usual.at(0.99) == 6'000);
  const distribution wild{distribution::shape::lognormal, 1, 3e10};
  CHECK(wild.at(0.999'999'999) == session::duration_ms_max);
  CHECK(wild.at(0.000'000'001) == 0);
}

TEST_CASE("a simulated orchestrator decides by the plan, after a while") {
  const simulation how{.latency = {distribution::shape::constant, 9},
                       .plan = {.rounds = 2}};
  simulated_behaviour one{how, 1, "lead"};
  for (std::uint32_t n = 0; n < 4; ++n) {
    const auto request = asked::decision({"a"}, n);
    const auto given = one.respond(request);
    CHECK(given.delay_ms == 9);
    CHECK(given.reply.status == reply_status::completed);
    CHECK(given.reply.decision == decide_by_plan(request, {.rounds = 2}));
  }
}

TEST_CASE("a simulated orchestrator and voter fail, decline and keep silent") {
  const auto decide = [](const simulation& how, std::uint32_t n) {
    return simulated_behaviour{how, 1, "lead"}.respond(
      asked::decision({"a"}, n));
  };
  const auto vote = [](const simulation& how, std::uint32_t n) {
    return simulated_behaviour{how, 1, "judge"}.respond(
      asked::vote({"a", "b"}, n));
  };
  const simulation odds{.silence = 0.1, .failure = 0.2, .decline = 0.3};
  const auto counts = [&](const auto& respond) {
    std::array<int, 3> found{};
    for (std::uint32_t n = 0; n < 10'000; ++n) {
      const auto given = respond(odds, n);
      found[0] += silent(given);
      found[1] += failed(given);
      found[2] += declined(given);
      // Luck decides only whether there is an answer, not which.
      if (!silent(given) && given.reply.status == reply_status::completed)
        CHECK(given == respond({}, n));
    }
    return found;
  };
  for (const auto& found : {counts(decide), counts(vote)}) {
    CHECK(found[0] == Approx(1000).margin(100));
    CHECK(found[1] == Approx(2000).margin(130));
    CHECK(found[2] == Approx(3000).margin(150));
  }
  CHECK(decide({.failure = 1}, 0).reply.error.code == "simulated_failure");
  CHECK_FALSE(vote({.decline = 1}, 0).reply.vote);
}

namespace {

simulation doing(simulated_work what) {
  return {.work = std::move(what)};
}

const std::vector<protocol::resource_ref> files{{"file", "a"}, {"file", "b"}};

} // namespace

TEST_CASE("a simulated participant uses what was drawn, even to fail") {
  const simulated_usage used{.prompt_tokens = {.low = 100},
                             .completion_tokens = {distribution::shape::uniform,
                                                   10, 20},
                             .cost_microusd = {.low = 7}};
  simulation how{.failure = 1, .work = {.usage = used}};
  const auto usage = nth(how, 3).reply.usage;
  CHECK(usage.prompt_tokens == 100);
  CHECK(usage.completion_tokens >= 10);
  CHECK(usage.completion_tokens <= 20);
  CHECK(usage.cost_microusd == 7);
  how = {.silence = 1, .work = {.usage = used}};
  CHECK(nth(how, 3).reply.usage == protocol::usage{});
}

TEST_CASE("a simulated text has the size that was drawn, and is new") {
  const auto how = doing({.content_bytes = distribution{.low = 40}});
  CHECK(nth(how, 1).reply.content.size() == 40);
  CHECK(nth(how, 1).reply.content != nth(how, 2).reply.content);
  CHECK(nth(doing({.content_bytes = distribution{}}), 1).reply.content.empty());
}

TEST_CASE("simulated writes are as frequent, and as stale, as was asked for") {
  const auto how = doing(
    {.writes = {.share = 0.3, .resources = files, .value_bytes = {.low = 5}}});
  const auto of_a = [](const answer& x) {
    return !x.reply.writes.empty() && x.reply.writes[0].resource_id == "a";
  };
  CHECK(count(how, [](const answer& x) { return !x.reply.writes.empty(); })
        == Approx(3000).margin(150));
  CHECK(count(how, of_a) == Approx(1500).margin(120));
  CHECK(count(how,
              [](const answer& x) {
                return !x.reply.writes.empty()
                       && (x.reply.writes[0].base_version != 0
                           || x.reply.writes[0].value.as_string().size() != 5);
              })
        == 0);
}

TEST_CASE("a simulated write is based on what was shown, or on less") {
  session::workspace shared;
  for (int i = 0; i < 3; ++i)
    shared.add({"file", "a"}, protocol::json::value("x"), {}, 0);
  auto request = asked::turn("it", 4);
  request.workspace = shared.view();
  const auto version = [&](double stale) {
    simulated_behaviour one{
      doing({.writes = {.share = 1, .resources = {files[0]}, .stale = stale}}),
      1, "a"};
    return one.respond(request).reply.writes.at(0).base_version;
  };
  CHECK(version(0) == 3);
  CHECK(version(1) == 2);
}

TEST_CASE("a simulated participant leaves alone what its turn may not touch") {
  const simulation how
    = doing({.writes = {.share = 1, .resources = {files[0]}},
             .claims = {.share = 1, .resources = {files[0]}}});
  simulated_behaviour one{how, 1, "a"};
  auto request = asked::turn("it");
  CHECK(one.respond(request).reply.writes.size() == 1);
  CHECK(one.respond(request).reply.claim.size() == 1);
  request.limited = true;
  CHECK(one.respond(request).reply.writes.empty());
  CHECK(one.respond(request).reply.claim.empty());
  request.resources = files;
  CHECK(one.respond(request).reply.writes.size() == 1);
  request.duty = "navigator";
  CHECK(one.respond(request).reply.writes.empty());
}

TEST_CASE("simulated handoffs go to one of the others, and in turns alone") {
  const auto how = doing({.handoffs = {.share = 0.5, .to = {"b", "c"}},
                          .tasks = {.share = 0.1, .role = "r"}});
  const auto to = [](const char* id) {
    return [id](const answer& x) {
      return x.reply.handoff && x.reply.handoff->to == id;
    };
  };
  CHECK(count(how, to("b")) == Approx(2500).margin(150));
  CHECK(count(how, to("c")) == Approx(2500).margin(150));
  CHECK(count(how,
              [](const answer& x) {
                return x.reply.tasks.size() == 1
                       && x.reply.tasks[0].role == "r";
              })
        == Approx(1000).margin(110));
  auto request = asked::turn("it");
  request.kind = session::request_kind::broadcast;
  simulated_behaviour always{doing({.handoffs = {.share = 1, .to = {"b"}}}), 1,
                             "a"};
  CHECK_FALSE(always.respond(request).reply.handoff);
}
