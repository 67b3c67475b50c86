#include <catch2/catch.hpp>
#include <convene/lab/load/load_series.hpp>

#include <memory>

using namespace convene::host;
using namespace std::chrono_literals;

namespace {

std::unique_ptr<load_figures> turns(std::uint64_t count) {
  auto made = std::make_unique<load_figures>();
  made->counts[static_cast<std::size_t>(load_tally::turns)] = count;
  return made;
}

} // namespace

TEST_CASE("a series has rates of whole seconds: what is seen right after the "
          "warm-up is left to the next one") {
  load_series series{1s};
  series.add(900ms, 1, turns(0));
  series.add(1s + 1us, 1, turns(1)); // that is no million a second
  series.add(2s, 1, turns(100));
  series.add(3s, 1, turns(300));
  const auto& seconds = series.seconds();
  REQUIRE(seconds.size() == 2);
  CHECK(seconds[0].turns == Approx(100));
  CHECK(seconds[1].turns == Approx(200));
}
