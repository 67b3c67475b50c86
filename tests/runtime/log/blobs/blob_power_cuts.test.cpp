// Power cuts at every step of a log with blobs. As in
// tests/runtime/log/event_log/power_cuts.test.cpp, CONVENE_POWER_CUTS and
// CONVENE_SEED can be set.

#include "blob_lines.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/log/blobs/blob_keeper.hpp>
#include <convene/runtime/log/event_log/writer.hpp>
#include <runtime/log/event_log/frail_storage.hpp>
#include <runtime/log/event_log/settings.hpp>

#include <algorithm>
#include <cerrno>

using namespace convene;
using namespace convene::host;
using namespace convene::tests;
using namespace std::chrono_literals;

namespace {

const std::filesystem::path log_folder = "data/log";

/// Sessions that name blobs, on a log that loses its first segments.
class named_blobs {
public:
  explicit named_blobs(std::uint64_t seed) : disk{seed}, random_{~seed} {}

  frail_storage disk;
  std::string complaint;
  std::size_t named = 0; ///< blobs that were named when it was opened
  std::size_t swept = 0;

  /// Opens the log, looks at what is there, and goes on.
  bool live(std::size_t groups) {
    log_options how{.group_interval = 1h,
                    .durability = protocol::durability::group,
                    .existing = existing_log::append,
                    .segment_bytes = 1 + random_() % 1500,
                    .keep_bytes = 1 + random_() % 3000,
                    .files = &disk};
    const auto blobs = std::make_shared<blob_keeper>(log_folder / "blobs", how);
    how.companions = {blobs};
    const auto writer = event_log_writer::open(
      log_folder, how,
      [this](const auto&, std::string_view line) { look_at(line); });
    if (!writer)
      return false;
    swept += blobs->swept();
    bool well = true;
    for (std::size_t i = 0; i < groups && well; ++i)
      well = write_group(*blobs, **writer);
    return (*writer)->close() && well;
  }

private:
  void look_at(std::string_view line) {
    for (const auto& each : protocol::blobs_of_line(line)) {
      ++named;
      const auto text = disk.content(log_folder / "blobs" / each.sha256);
      if (host::name_blob(text) != each)
        complaint = text.empty() ? "a blob that the log names is gone"
                                 : "a blob that the log names is torn";
    }
  }

  bool write_group(blob_keeper& blobs, event_log_writer& writer) {
    std::string lines;
    for (auto count = 1 + random_() % 3; count > 0; --count) {
      const auto session = 1 + random_() % 3 + number_;
      // Some are the same, some are never named.
      const auto text = '"' + std::to_string(random_() % 20)
                        + std::string(random_() % 2000, 'x') + '"';
      const auto made = blobs.put(random_() % 3 == 0 ? "\"the same\"" : text);
      if (!made)
        return false;
      if (random_() % 4 != 0)
        lines += line_naming(session, *made) + '\n';
      if (random_() % 3 == 0) {
        for (std::uint64_t ended = number_; ended <= number_ + 3; ++ended)
          lines += line_of_session(ended, "z", "MAPSessionCompleted") + '\n';
        number_ += 4;
      }
    }
    return lines.empty() || (writer.append(lines) && writer.flush());
  }

  std::mt19937_64 random_;
  std::uint64_t number_ = 0;
};

} // namespace

TEST_CASE("no power cut takes or tears a blob that the log names") {
  const auto seed = first_seed();
  const auto cuts = setting("CONVENE_POWER_CUTS", 1500);
  CAPTURE(seed, cuts);
  std::mt19937_64 random{seed};
  std::uint64_t done = 0;
  std::uint64_t named = 0;
  std::uint64_t swept = 0;
  for (std::uint64_t history = 0; done < cuts; ++history) {
    const auto own_seed = seed + history;
    CAPTURE(own_seed, done);
    named_blobs log{own_seed};
    for (int life = 0; life < 6; ++life) {
      log.disk.write_short(random() % 2 == 0);
      if (random() % 3 == 0)
        log.disk.fail_at(1 + random() % 90, random() % 2 == 0 ? EIO : ENOSPC,
                         random() % 2 == 0);
      log.disk.cut_power_at(1 + random() % 150);
      static_cast<void>(log.live(1 + random() % 12));
      if (!log.complaint.empty())
        FAIL(log.complaint);
      if (!log.disk.is_dead() && random() % 3 == 0) {
        log.disk.restart(); // only the process dies
        continue;
      }
      log.disk.power_up();
      ++done;
    }
    log.disk.write_short(false);
    CHECK(log.live(1));
    if (!log.complaint.empty())
      FAIL(log.complaint);
    named += log.named;
    swept += log.swept;
  }
  WARN(done << " power cuts from seed " << seed << ", " << named
            << " blobs named, " << swept << " swept");
  CHECK(named > done);
  CHECK(swept > 0);
}
