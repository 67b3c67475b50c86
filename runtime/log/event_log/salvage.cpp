#include <convene/protocol/base/lines.hpp>
#include <convene/runtime/log/event_log/crc32c.hpp>
#include <convene/runtime/log/event_log/intact_groups.hpp>
#include <convene/runtime/log/event_log/salvage.hpp>
#include <convene/runtime/log/event_log/salvage_sessions.hpp>
#include <convene/runtime/log/event_log/torn.hpp>
#include <convene/runtime/log/event_log/writer.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t ranges_kept = 1000;

/// Goes through the groups of one log and writes what is intact.
class salvage {
public:
  /// `alone`: a segment by itself, of which none comes before.
  salvage(fs::path out, bool alone, const read_limits& limits)
    : out_{std::move(out)}, alone_{alone}, limits_{limits} {
    // nop
  }

  result<void> read(const log_segment& segment) {
    auto file = input_file::open(segment.path);
    if (!file)
      return fail(std::move(file).error());
    // Only the last file may end in what was never acknowledged.
    if (torn_ != 0)
      add_damage(end_, torn_, "no checksum says that these bytes are right");
    name_ = segment.path.string();
    report_.files.push_back(name_);
    // What was removed on purpose is no gap.
    if (segment.after_removed) {
      previous_ = *segment.after_removed;
      sessions_.begin_behind_removed();
    }
    follows_removed_ = segment.after_removed.has_value();
    end_ = 0;
    fresh_ = true;
    const auto rest = find_intact_groups(*file, limits_,
                                         [&](const intact_group& group) {
                                           return take(*file, group);
                                         });
    if (!rest)
      return fail(rest.error());
    // What follows the last group can be what was never acknowledged, but not
    // if a group was closed there, or another file follows.
    const auto left = rest->size - end_;
    const bool closed = rest->last_mark_end > end_;
    std::string buffer;
    const auto start = file->read(0, sector_bytes, buffer);
    const bool begun = fresh_ && start && is_torn_start(*start);
    torn_ = !closed && (!fresh_ || begun) ? left : 0;
    if (left != torn_)
      add_damage(end_, left, "no checksum says that these bytes are right");
    lost_end_ = lost_end_ || left != torn_;
    return {};
  }

  result<salvage_report> finish() && {
    if (report_.groups == 0)
      return fail(
        {.code = errc::invalid_document,
         .message = "nothing in it is intact, or it is not an event log",
         .file = report_.files.front(),
         .rule = "not_a_log"});
    if (auto closed = writer_->close(); !closed)
      return fail(std::move(closed).error());
    if (lost_end_)
      sessions_.gap();
    report_.unacknowledged_bytes = torn_;
    sessions_.finish(report_);
    return std::move(report_);
  }

private:
  result<void> take(const input_file& file, const intact_group& group) {
    if (group.offset != end_)
      if (auto ok = take_between(file, group); !ok)
        return ok;
    const bool follows = fresh_ ? begins_file(group)
                                : group.mark.previous == previous_;
    if (!follows && group.offset == end_)
      add_damage(end_, 0,
                 fresh_ ? "what comes before this file is missing"
                        : "at least one group is missing");
    return keep(group, follows);
  }

  /// Whether the file's first intact group is its first one, and goes on where
  /// the file before it ends.
  [[nodiscard]] bool begins_file(const intact_group& group) const {
    const auto opened
      = parse_opened(group.text.substr(0, group.text.find('\n')));
    if (group.offset != 0 || !opened || group.mark.previous != 0)
      return false;
    if (report_.files.size() == 1 && !follows_removed_)
      return alone_ || opened->segment == 1;
    return opened->previous == previous_;
  }

  /// Looks at what is between the groups. If it is a group with a broken
  /// `log_group` line, the next group knows its checksum.
  result<void> take_between(const input_file& file, const intact_group& next) {
    const auto bytes = next.offset - end_;
    add_damage(end_, bytes, "no checksum says that these bytes are right");
    if (bytes > limits_.group_bytes)
      return {};
    std::string buffer;
    auto text = file.read(end_, bytes, buffer);
    if (!text)
      return fail(std::move(text).error());
    text->remove_suffix(text->empty() ? 0 : 1);
    const auto line = text->rfind('\n') + 1; // 0: there is none
    const auto group = text->substr(0, line);
    if (group.empty() || crc32c(group) != next.mark.previous)
      return {};
    auto& what = report_.damage;
    if (!what.empty())
      what.back().why = "a log_group line is damaged; the next one vouches for "
                        "the group";
    const intact_group one{end_,
                           next.offset,
                           {group.size(), next.mark.previous,
                            fresh_ ? 0 : previous_},
                           group};
    const bool follows = fresh_ ? begins_file(one)
                                : text->substr(line).find(
                                    R"("previous":")" + to_hex(previous_) + '"')
                                    != text->npos;
    return keep(one, follows);
  }

  result<void> keep(const intact_group& group, bool follows) {
    if (!follows)
      sessions_.gap();
    ++report_.groups;
    fresh_ = false;
    lost_end_ = false;
    end_ = group.end;
    previous_ = group.mark.crc;
    if (!writer_) {
      auto opened = event_log_writer::open(out_,
                                           {.durability = durability::group});
      if (!opened)
        return fail(std::move(opened).error());
      writer_ = *std::move(opened);
    }
    std::string lines;
    for (auto left = group.text; !left.empty();) {
      const auto line = cut_line(left);
      if (is_opened(line))
        continue;
      if (sessions_.keeps(line))
        lines.append(line) += '\n';
      if (lines.size() < (std::size_t{1} << 20) && !left.empty())
        continue;
      if (auto done = append(lines); !done)
        return done;
    }
    return append(lines);
  }

  result<void> append(std::string& lines) {
    if (lines.empty())
      return {};
    const auto done = writer_->append(lines);
    lines.clear();
    return done ? result<void>{} : fail(done.error());
  }

  void add_damage(std::uint64_t offset, std::uint64_t bytes, std::string why) {
    ++report_.damage_total;
    if (report_.damage.size() < ranges_kept)
      report_.damage.push_back({name_, offset, bytes, std::move(why)});
  }

  const fs::path out_;
  const bool alone_;
  const read_limits limits_;
  std::unique_ptr<event_log_writer> writer_;
  salvage_report report_;
  salvaged_sessions sessions_;
  std::string name_;             // of the file
  std::uint64_t end_ = 0;        // behind the last intact group, in the file
  bool fresh_ = true;            // no intact group of the file was seen
  std::uint32_t previous_ = 0;   // crc of the last intact group
  std::uint64_t torn_ = 0;       // behind it, in the last file
  bool lost_end_ = false;        // since the last intact group
  bool follows_removed_ = false; // the file comes first since others went
};

} // namespace

result<salvage_report> salvage_log(const fs::path& log, const fs::path& out,
                                   const read_limits& limits) {
  const auto segments = found_segments(log);
  if (!segments)
    return fail(segments.error());
  salvage all{out, segments->front().path == log, limits};
  for (const auto& segment : *segments)
    if (auto done = all.read(segment); !done)
      return fail(std::move(done).error());
  return std::move(all).finish();
}

} // namespace convene::host
