#include <catch2/catch.hpp>
#include <convene/lab/simulation/faults/faulty_log.hpp>

#include <optional>
#include <string>

using namespace convene;
using host::fault_kind;
using host::faulty_log;

namespace {

const std::string session_id = "23f9e730-c06a-434e-a3f8-5a0e47da6b15";

std::string line(int number) {
  return R"({"event_id":")" + std::to_string(number)
         + R"(","event_type":"MAPTurnDispatched","session_id":")" + session_id
         + "\"}\n";
}

void ignore(const host::log_place&, std::string_view) {
  // nop
}

/// What who asks is told, if it is told at once: nothing, or the message.
std::optional<std::string> told_by(faulty_log& log) {
  std::optional<std::string> told;
  log.call_when_kept([&](const protocol::result<void>& kept) {
    told = kept ? std::string{} : kept.error().message;
  });
  return told;
}

} // namespace

TEST_CASE("a seed's log says that events are durable once they are, and says "
          "so if they cannot be") {
  // The first sync is that of log_opened.
  const host::fault_spec what{
    .script = std::vector<host::fault_turn>{{fault_kind::sync_error, 3}}};
  host::seed_faults faults{what, 1};
  faulty_log log{faults, 1, what, session_id};
  REQUIRE(log.open(ignore));
  REQUIRE(log.append(line(1)));
  CHECK(told_by(log) == "");
  CHECK(told_by(log) == ""); // and again, without a write
  REQUIRE(log.append(line(2)));
  const auto told = told_by(log);
  REQUIRE(told);
  CHECK_FALSE(told->empty());
  CHECK(log.is_dead());
  log.end_process();
  std::string found;
  REQUIRE(log.open([&](const host::log_place&, std::string_view one) {
    found.append(one) += '\n';
  }));
  CHECK(found.starts_with(line(1)));
  CHECK(log.text() == found);
}

TEST_CASE("a seed's log that was damaged is refused, put back and gone on "
          "with") {
  const host::fault_spec what{.script = std::vector<host::fault_turn>{}};
  host::seed_faults faults{what, 1};
  faulty_log log{faults, 1, what, session_id};
  REQUIRE(log.open(ignore));
  std::string all;
  for (int i = 1; i <= 3; ++i) {
    REQUIRE(log.append(line(i)));
    REQUIRE(log.flush());
    all += line(i);
  }
  log.damage(7);
  log.kill();
  log.end_process();
  REQUIRE(log.open(ignore));
  CHECK(faults.counts().at(static_cast<std::size_t>(fault_kind::damage)) == 1);
  CHECK(log.text() == all);
}
