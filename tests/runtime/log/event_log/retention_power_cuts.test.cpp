// Power cuts at every step of a writer that removes segments. As in
// power_cuts.test.cpp, CONVENE_POWER_CUTS and CONVENE_SEED can be set.

#include "frail_storage.hpp"
#include "session_lines.hpp"
#include "settings.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/log/event_log/existing_log.hpp>
#include <convene/runtime/log/event_log/writer.hpp>

#include <algorithm>
#include <cerrno>
#include <set>

using namespace convene;
using namespace convene::host;
using namespace convene::tests;
using namespace std::chrono_literals;

namespace {

const std::filesystem::path folder = "data/log";

struct written_line {
  std::string text;
  std::uint64_t session = 0;
  bool ends = false;
};

/// Sessions on a log that loses its first segments, over many lives. All that
/// was acknowledged is there, or was removed and is of sessions that had ended.
class trimmed_log {
public:
  explicit trimmed_log(std::uint64_t seed) : disk{seed}, random_{~seed} {
    how_ = {.group_interval = 1h,
            .durability = protocol::durability::group,
            .existing = existing_log::append,
            .segment_bytes = 1 + random_() % 1500,
            .keep_bytes = 1 + random_() % 3000,
            .files = &disk};
  }

  frail_storage disk;

  /// Opens the log and writes so many groups; whether all went well.
  bool live(std::size_t groups) {
    std::vector<std::string> found;
    auto writer = event_log_writer::open(
      folder, how_,
      [&](const auto&, std::string_view line) { found.emplace_back(line); });
    if (!writer) {
      error = to_string(writer.error());
      return false;
    }
    look_at(found);
    bool well = true;
    for (std::size_t i = 0; i < groups && well; ++i)
      well = write_group(**writer);
    return (*writer)->close() && well;
  }

  /// Files of segments that were removed and are there still.
  [[nodiscard]] std::size_t leftovers() const {
    const auto records = parse_removals(disk.content(folder / "removed"), "");
    const auto last = records ? segment_name(records->last.through) : "";
    std::size_t count = 0;
    for (const auto& file : disk.files())
      count += file.extension() == ".jsonl" && file.filename() <= last ? 1 : 0;
    return count;
  }

  std::string complaint;
  std::string error;            // of the last writer that could not be opened
  std::size_t removed = 0;      // lines, when it was opened last
  std::size_t acknowledged = 0; // lines, also those that were removed

private:
  void look_at(const std::vector<std::string>& found) {
    // Lines are told apart, so there is one place where these can be.
    auto begin = lines_.begin() + static_cast<std::ptrdiff_t>(acknowledged);
    if (!found.empty())
      begin = std::ranges::find(lines_, found.front(), &written_line::text);
    if (static_cast<std::size_t>(lines_.end() - begin) < found.size()
        || !std::ranges::equal(found.begin(), found.end(), begin,
                               begin
                                 + static_cast<std::ptrdiff_t>(found.size()),
                               {}, {}, &written_line::text))
      return complain("what is there is not what was appended");
    removed = static_cast<std::size_t>(begin - lines_.begin());
    const auto end = removed + found.size();
    if (end < acknowledged)
      return complain("an acknowledged line is lost");
    lines_.resize(end);
    acknowledged = end;
    std::set<std::uint64_t> finished;
    open_.clear();
    for (const auto& line : lines_)
      if (line.ends)
        finished.insert(line.session);
    for (std::size_t i = 0; i < end; ++i) {
      if (finished.contains(lines_[i].session))
        continue;
      open_.insert(lines_[i].session);
      if (i < removed)
        complain("a line of an unfinished session was removed");
    }
  }

  bool write_group(event_log_writer& writer) {
    std::string text;
    for (auto count = 1 + random_() % 3; count > 0; --count) {
      const bool fresh = open_.empty() || (open_.size() < 3 && random_() % 3);
      const auto session = fresh ? next_++ : *open_.begin();
      const bool ends = !fresh && random_() % 2 == 0;
      lines_.push_back(
        {line_of_session(session, std::to_string(next_line_++),
                         ends ? "MAPSessionCompleted" : "MAPTurnCompleted"),
         session, ends});
      if (ends)
        open_.erase(session);
      else
        open_.insert(session);
      text += lines_.back().text + '\n';
    }
    // One group each, so that what is removed was acknowledged.
    if (!writer.append(text) || !writer.flush())
      return false;
    acknowledged = lines_.size();
    return true;
  }

  void complain(std::string what) {
    if (complaint.empty())
      complaint = std::move(what);
  }

  std::mt19937_64 random_;
  log_options how_;
  std::vector<written_line> lines_;
  std::set<std::uint64_t> open_;
  std::uint64_t next_ = 1;
  std::uint64_t next_line_ = 1;
};

} // namespace

TEST_CASE("no power cut while segments are removed takes what is needed, or "
          "leaves a log in doubt") {
  const auto seed = first_seed();
  const auto cuts = setting("CONVENE_POWER_CUTS", 3000);
  CAPTURE(seed, cuts);
  std::mt19937_64 random{seed};
  std::uint64_t done = 0;
  std::uint64_t removed = 0;
  for (std::uint64_t history = 0; done < cuts; ++history) {
    const auto own_seed = seed + history;
    CAPTURE(own_seed, done);
    trimmed_log log{own_seed};
    for (int life = 0; life < 6; ++life) {
      log.disk.write_short(random() % 2 == 0);
      if (random() % 3 == 0)
        log.disk.fail_at(1 + random() % 60, random() % 2 == 0 ? EIO : ENOSPC,
                         random() % 2 == 0);
      log.disk.cut_power_at(1 + random() % 120);
      static_cast<void>(log.live(1 + random() % 16));
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
    if (!log.live(1))
      FAIL(log.error);
    if (!log.complaint.empty())
      FAIL(log.complaint);
    CHECK(log.leftovers() == 0);
    removed += log.removed;
  }
  WARN(done << " power cuts from seed " << seed << ", " << removed
            << " lines removed");
  CHECK(removed > done);
}
