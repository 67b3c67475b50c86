#include <catch2/catch.hpp>
#include <convene/lab/simulation/faults/seed_faults.hpp>

#include <vector>

using namespace convene::host;

namespace {

std::vector<fault_turn> struck_by(const fault_spec& what, std::uint64_t seed) {
  seed_faults faults{what, seed};
  for (std::uint32_t at = 1; at <= 400; ++at)
    for (const auto kind : {fault_kind::hang, fault_kind::late})
      static_cast<void>(faults.strikes(kind, at));
  return faults.script();
}

} // namespace

TEST_CASE("faults strike at their rate, and their script strikes again") {
  fault_spec what{.rates = fault_rates{}};
  what.rates->of[static_cast<std::size_t>(fault_kind::hang)] = 0.25;
  const auto struck = struck_by(what, 7);
  CHECK(struck.size() > 60);
  CHECK(struck.size() < 140);
  CHECK(struck == struck_by(what, 7));
  CHECK(struck != struck_by(what, 8));
  CHECK(struck_by({.script = struck}, 7) == struck);
}

TEST_CASE("what is drawn for a fault depends on its operation alone") {
  seed_faults some{{.random = 0.5}, 3};
  seed_faults other{{.script = std::vector<fault_turn>{}}, 3};
  static_cast<void>(some.strikes(fault_kind::late, 1));
  CHECK(some.draw(fault_kind::late, 9, 1)
        == other.draw(fault_kind::late, 9, 1));
  CHECK(some.delay(fault_kind::late, 9, 1)
        != some.delay(fault_kind::late, 10, 1));
}

TEST_CASE("with random each seed has some of the kinds") {
  std::size_t kinds = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    seed_faults faults{{.random = 1}, seed};
    for (std::size_t kind = 0; kind < fault_kinds; ++kind)
      for (std::uint32_t at = 1; at <= 1000; ++at)
        if (faults.strikes(static_cast<fault_kind>(kind), at)) {
          ++kinds;
          break;
        }
  }
  CHECK(kinds > 60 * fault_kinds / 5);
  CHECK(kinds < 60 * fault_kinds / 2);
}

TEST_CASE("a process ends so often and no more, and faults are bounded") {
  fault_spec what{.rates = fault_rates{}};
  what.rates->of.fill(1);
  seed_faults faults{what, 1};
  std::uint32_t ends = 0;
  for (std::uint32_t at = 1; at <= 100; ++at)
    ends += faults.strikes(fault_kind::kill, at) ? 1 : 0;
  CHECK(ends == interruptions_max);
  for (std::uint32_t at = 1; at <= seed_faults_max; ++at)
    static_cast<void>(faults.strikes(fault_kind::crash, at));
  CHECK(faults.is_full());
  CHECK(faults.script().size() == seed_faults_max);
}
