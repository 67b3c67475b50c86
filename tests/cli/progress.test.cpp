#include <catch2/catch.hpp>
#include <convene/cli/view/progress.hpp>

using namespace convene::cli;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("progress says how much is done, how fast, what failed and how long "
          "the rest takes") {
  CHECK(progress_text({.done = 1735, .all = 4000, .failed = 2, .unit = "seeds"},
                      seconds{26})
        == "1,735 of 4,000 seeds (43 %), 2 failed, 67/s, 34 s left");
  CHECK(progress_text({.done = 3, .all = 40, .unit = "points"}, seconds{2})
        == "3 of 40 points (7 %), 1.5/s, 25 s left");
  CHECK(
    progress_text({.done = 1, .all = 1'000'000, .unit = "seeds"}, seconds{1})
    == "1 of 1,000,000 seeds (0 %), 1.0/s, 277 h 46 min left");
}

TEST_CASE("progress of bytes is in megabytes") {
  CHECK(progress_text({.done = 25'000'000,
                       .all = 100'000'000,
                       .unit = "bytes",
                       .what = "checking"},
                      milliseconds{500})
        == "checking: 25.0 of 100.0 MB (25 %), 50 MB/s, 2 s left");
}

TEST_CASE("progress leaves out what is not known") {
  CHECK(progress_text({.unit = "sessions"}, seconds{3}) == "0 sessions");
  CHECK(progress_text({.done = 5, .unit = "sessions"}, seconds{1})
        == "5 sessions, 5.0/s");
  CHECK(progress_text({.done = 7, .all = 7, .unit = "runs"}, seconds{1})
        == "7 of 7 runs (100 %), 7.0/s");
  // A load ends by its clock.
  CHECK(progress_text({.done = 50, .unit = "sessions", .left = seconds{180}},
                      seconds{5})
        == "50 sessions, 10/s, 3 min left");
  // A log that grows while it is read.
  CHECK(progress_text({.done = 200, .all = 100, .unit = "runs"}, seconds{1})
        == "200 of 100 runs (100 %), 200/s");
}
