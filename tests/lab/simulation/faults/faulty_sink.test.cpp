#include <catch2/catch.hpp>
#include <convene/lab/simulation/faults/faulty_sink.hpp>

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace convene;
using namespace convene::host;

namespace {

/// The log and the sink of a session's process, struck by a script.
struct sink_bench {
  explicit sink_bench(std::vector<fault_turn> script)
    : how{.script = std::move(script)} {
    REQUIRE(log.open([](const log_place&, std::string_view) {}));
  }

  bool append() {
    return sink.append("s", "{}\n", 1).has_value();
  }

  fault_spec how;
  faulty_world world{.faults = {how, 1}, .clock_jump_ms = 1'000};
  faulty_log log{world.faults, 1, how, "23f9e730-c06a-434e-a3f8-5a0e47da6b15"};
  log_permission may_log = [](std::size_t) { return protocol::result<void>{}; };
  faulty_sink sink{world, log, may_log};
};

} // namespace

TEST_CASE("the wall clock jumps where it is struck, and no farther than it "
          "may") {
  sink_bench bench{{{fault_kind::clock_jump, 2}}};
  CHECK(bench.append());
  CHECK(bench.world.wall_ahead_ms == 0);
  CHECK(bench.append());
  const auto ahead = bench.world.wall_ahead_ms;
  CHECK(ahead != 0);
  CHECK(std::abs(ahead) <= 1'000);
  CHECK(bench.append());
  CHECK(bench.world.wall_ahead_ms == ahead);
}

TEST_CASE("a process that is killed takes no event any more") {
  sink_bench bench{{{fault_kind::kill, 2}}};
  CHECK(bench.append());
  CHECK_FALSE(bench.append());
  CHECK(bench.log.is_dead());
  CHECK_FALSE(bench.append());
  CHECK(bench.world.faults.script().size() == 1);
}
