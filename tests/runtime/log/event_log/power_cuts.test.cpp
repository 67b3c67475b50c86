// Power cuts at every step of the writer. CONVENE_POWER_CUTS says how many,
// CONVENE_SEED from which seed on; each cut's seed is the first one's and its
// number.

#include "log_history.hpp"
#include "settings.hpp"

#include <catch2/catch.hpp>

using namespace convene::tests;

namespace {

/// Some errors on the way, so that power goes also in what follows on one.
void add_errors(log_history& log) {
  constexpr int numbers[] = {ENOSPC, EIO, EROFS, EDQUOT};
  log.disk.write_short(log.random() % 2 == 0);
  if (log.random() % 3 == 0)
    log.disk.fail_at(1 + log.random() % 40, numbers[log.random() % 4],
                     log.random() % 2 == 0);
}

} // namespace

TEST_CASE("no power cut takes an acknowledged line, doubles one or tears one") {
  const auto seed = first_seed();
  const auto cuts = setting("CONVENE_POWER_CUTS", 3000);
  CAPTURE(seed, cuts);
  std::uint64_t done = 0;
  std::uint64_t acknowledged = 0;
  for (std::uint64_t history = 0; done < cuts; ++history) {
    const auto own_seed = seed + history;
    CAPTURE(own_seed, done);
    log_history log{own_seed, history % 2 == 0};
    for (int life = 0; life < 6; ++life) {
      add_errors(log);
      log.disk.cut_power_at(1 + log.random() % 60);
      log.live(1 + log.random() % 12);
      if (!log.complaint().empty())
        FAIL(log.complaint());
      // Now and then only the process dies.
      if (!log.disk.is_dead() && log.random() % 3 == 0) {
        log.disk.restart();
        continue;
      }
      log.disk.power_up();
      ++done;
    }
    // In peace, whatever was: it opens, with all that was promised.
    log.disk.write_short(false);
    log.live(1);
    if (!log.complaint().empty())
      FAIL(log.complaint());
    if (!log.well())
      FAIL(to_string(*log.error()));
    acknowledged += log.acknowledged();
  }
  WARN(done << " power cuts from seed " << seed << ", " << acknowledged
            << " acknowledged lines");
  CHECK(acknowledged > done);
}
