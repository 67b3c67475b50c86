#include <catch2/catch.hpp>
#include <convene/lab/simulation/faults/faulty_messages.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace convene;
using namespace convene::host;

namespace {

class set_clock final : public actors::time_source {
public:
  [[nodiscard]] protocol::timestamp_ms now() const override {
    return at;
  }

  protocol::timestamp_ms at = 1'000;
};

/// ann, a person, and bob, an agent: those whose messages the faults of a
/// script strike. What is delayed comes 100 ms later.
struct messages_bench {
  explicit messages_bench(std::vector<fault_turn> script)
    : how{.script = std::move(script),
          .delay_ms = {actors::distribution::shape::uniform, 100, 100}} {
    what.collab.participants
      = {{.participant_id = "ann", .kind = protocol::participant_kind::human},
         {.participant_id = "bob", .kind = protocol::participant_kind::agent}};
    messages.emplace(faults, what, log, given);
    messages->begin_process(clock);
  }

  actors::answer_fate answer(session::participant_index from) {
    return messages->of_answer(from, {.expires_at = 6'000});
  }
  std::int64_t request_delay() {
    return messages->of_request(1, {}).delay_ms;
  }
  [[nodiscard]] std::uint32_t count(fault_kind kind) const {
    return faults.counts().at(static_cast<std::size_t>(kind));
  }

  fault_spec how;
  session::spec what;
  set_clock clock;
  seed_faults faults{how, 1};
  faulty_log log{faults, 1, how, "23f9e730-c06a-434e-a3f8-5a0e47da6b15"};
  given_answers given;
  std::optional<faulty_messages> messages;
};

} // namespace

TEST_CASE("who hangs answers nothing more until its process has ended") {
  messages_bench bench{{{fault_kind::hang, 1}}};
  CHECK(bench.answer(0).is_lost);
  CHECK(bench.answer(0).is_lost);
  CHECK_FALSE(bench.answer(1).is_lost);
  CHECK(bench.count(fault_kind::hang) == 1);
  bench.messages->begin_process(bench.clock);
  CHECK_FALSE(bench.answer(0).is_lost);
}

TEST_CASE("only people leave a question without an answer") {
  messages_bench bench{
    {{fault_kind::no_answer, 1}, {fault_kind::no_answer, 2}}};
  CHECK(bench.answer(0).is_lost);
  CHECK_FALSE(bench.answer(1).is_lost);
  CHECK(bench.count(fault_kind::no_answer) == 1);
}

TEST_CASE("an answer that is late comes after its request has timed out") {
  messages_bench bench{{{fault_kind::late, 1}, {fault_kind::late, 2}}};
  CHECK(bench.answer(0).delay_ms == 5'100);
  bench.clock.at = 7'000; // it has timed out already
  CHECK(bench.answer(0).delay_ms == 100);
}

TEST_CASE("messages are reordered once one has overtaken another of its "
          "direction") {
  messages_bench bench{
    {{fault_kind::request_reordered, 1}, {fault_kind::request_reordered, 4}}};
  const auto reordered = [&bench] {
    return bench.count(fault_kind::request_reordered);
  };
  CHECK(bench.request_delay() == 100);
  static_cast<void>(bench.answer(0)); // of the other direction
  CHECK(reordered() == 0);
  CHECK(bench.request_delay() == 0);
  CHECK(reordered() == 1);
  CHECK(bench.request_delay() == 0); // nothing is left to overtake
  CHECK(reordered() == 1);
  // One that has arrived is overtaken by nothing.
  CHECK(bench.request_delay() == 100);
  bench.clock.at += 200;
  CHECK(bench.request_delay() == 0);
  CHECK(reordered() == 1);
}

TEST_CASE("what one process holds back overtakes nothing in the next") {
  messages_bench bench{{{fault_kind::answer_reordered, 1}}};
  CHECK(bench.answer(0).delay_ms == 100);
  bench.messages->begin_process(bench.clock);
  static_cast<void>(bench.answer(0));
  CHECK(bench.count(fault_kind::answer_reordered) == 0);
}

TEST_CASE("an answer is given unless it is lost on its way") {
  messages_bench bench{{{fault_kind::answer_lost, 1}}};
  const auto token
    = protocol::parse_uuid("23f9e730-c06a-434e-a3f8-5a0e47da6b16");
  REQUIRE(token);
  const boost::json::object event{{"event_type", "MAPTurnCompleted"},
                                  {"payload",
                                   {{"participant_id", "bob"},
                                    {"token_id", to_string(*token)},
                                    {"reply", boost::json::object{}}}}};
  static_cast<void>(bench.messages->of_answer(1, {.token = *token}));
  CHECK_FALSE(bench.given.explain(event, 0));
  static_cast<void>(bench.messages->of_answer(1, {.token = *token}));
  CHECK(bench.given.explain(event, 0));
}
