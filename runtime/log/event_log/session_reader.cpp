#include <convene/protocol/base/lines.hpp>
#include <convene/runtime/log/event_log/crc32c.hpp>
#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/runtime/log/event_log/segment_chain.hpp>
#include <convene/runtime/log/event_log/session_index.hpp>
#include <convene/runtime/log/event_log/session_reader.hpp>
#include <convene/runtime/log/event_log/torn.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <system_error>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

namespace fs = std::filesystem;

/// What may follow an index before it is made anew: this, and a part of what
/// it covers.
constexpr std::uint64_t unindexed_bytes_max = std::uint64_t{1} << 20;
constexpr std::uint64_t unindexed_part_max = 128;

/// Whether an index may get this name: a file that is none is somebody's.
bool is_free(const fs::path& path) {
  std::error_code failed;
  if (fs::symlink_status(path, failed).type() == fs::file_type::not_found)
    return true;
  const auto file = input_file::open(path);
  std::string buffer;
  return file && file->read(0, index_magic.size(), buffer) == index_magic;
}

/// On disk before it has its name: a power loss would else leave an empty file,
/// in whose place no index is ever put. That the name is on disk does not
/// matter. Several programs and threads may write one at the same time. A
/// folder that cannot be written has no index.
void write_index(const fs::path& path, const std::string& bytes) {
  static std::atomic<unsigned> written{0};
  if (is_free(path))
    static_cast<void>(write_file(path, bytes, synced::yes,
                                 '.' + std::to_string(::getpid()) + '.'
                                   + std::to_string(++written)
                                   + unfinished_ending));
}

/// Reads one session's events from one segment.
class segment_read {
public:
  segment_read(const std::vector<log_segment>& segments, std::size_t index,
               const uuid& session, const session_visitor& visit,
               const read_limits& limits, const first_line& from,
               session_summary& summary)
    : segment_{segments[index]}, name_{segment_.path.string()}, index_{index},
      alone_{segments.size() == 1 && !segment_.after_removed},
      last_{index + 1 == segments.size()}, session_{session}, visit_{visit},
      limits_{limits}, summary_{summary}, start_{name_},
      shown_{before(from, segment_.number)}, until_{end_for_now()} {
    // nop
  }

  /// Returns whether to go on with the next segment.
  result<bool> run(index_writing writing) {
    const bool writes = writing == index_writing::where_possible;
    if (auto ok = alone_ ? result<void>{} : check_start(); !ok)
      return fail(std::move(ok).error());
    // What is wrong with the start is told by reading it all.
    const auto found = alone_ || start_.opened()
                         ? look_up(segment_.path, session_)
                         : std::nullopt;
    const bool shown = found && show_ranges(found->ranges);
    auto done = scan(shown ? found->end : group_place{}, writes);
    return done.map([this] { return going_on_; });
  }

private:
  /// The number of the last line of a segment that is not wanted.
  static std::uint64_t before(const first_line& from, std::size_t segment) {
    if (segment < from.segment)
      return std::numeric_limits<std::uint64_t>::max();
    return segment == from.segment && from.number > 0 ? from.number - 1 : 0;
  }

  /// Whether the segment goes on where the one before ends, as far as its first
  /// bytes can say.
  result<void> check_start() {
    const auto file = input_file::open(segment_.path);
    if (!file)
      return fail(file.error());
    std::string buffer;
    const auto bytes = file->read(0, sector_bytes, buffer);
    if (!bytes)
      return fail(bytes.error());
    start_.feed(*bytes);
    static_cast<void>(start_.next());
    if (!start_.opened())
      return {};
    auto chain = segment_.after_removed;
    if (index_ > 0)
      chain = summary_.end.group.previous_crc;
    return check_opened_as(start_, segment_.number, chain);
  }

  /// False: these bytes are not what they were when the index was made. What
  /// was shown until then is right.
  bool show_ranges(const std::vector<event_range>& ranges) {
    const auto file = input_file::open(segment_.path);
    std::string buffer;
    for (const auto& one : ranges) {
      if (!going_on_)
        return true;
      if (one.lines > 0 && one.line + one.lines - 1 <= shown_)
        continue;
      if (!file || one.bytes > limits_.group_bytes)
        return false;
      const auto bytes = file->read(one.offset, one.bytes, buffer);
      if (!bytes || bytes->size() != one.bytes || crc32c(*bytes) != one.crc)
        return false;
      summary_.bytes_read += one.bytes;
      auto number = one.line;
      for (auto left = *bytes; !left.empty(); ++number) {
        const auto line = cut_line(left);
        if (session_of(line) != session_)
          return false;
        show(number,
             one.offset
               + static_cast<std::uint64_t>(line.data() - bytes->data()),
             line);
      }
    }
    return true;
  }

  void show(std::uint64_t number, std::uint64_t offset, std::string_view line) {
    if (number <= shown_ || !going_on_)
      return;
    shown_ = number;
    ++summary_.lines;
    going_on_ = visit_({name_, index_, segment_.number, number, offset}, line);
  }

  /// How long the segment is, if it may be growing: a writer as fast as this
  /// reader would be read for ever.
  [[nodiscard]] std::uint64_t end_for_now() const {
    if (last_)
      if (const auto file = input_file::open(segment_.path))
        if (const auto size = file->size())
          return *size;
    return std::numeric_limits<std::uint64_t>::max();
  }

  /// Whether a group ends here, and enough has been read.
  [[nodiscard]] bool is_done(const log_cursor& at) const {
    return at.behind == 0 && at.group.offset != 0 && at.group.offset >= until_;
  }

  /// Reads what follows `from`, all that is there by now.
  result<void> scan(const group_place& from, bool writes) {
    auto reader = log_reader::open(segment_.path, {segment_.number, from, 0},
                                   limits_);
    if (!reader)
      return fail(std::move(reader).error());
    std::optional<session_index> index;
    if (writes && from.offset == 0)
      index.emplace();
    while (going_on_ && !is_done(reader->cursor())) {
      const auto event = reader->next();
      if (!event)
        return fail(event.error());
      if (!*event)
        break;
      if (index && !index->add(**event))
        index.reset();
      if (session_of((*event)->text) == session_)
        show((*event)->number, (*event)->offset, (*event)->text);
    }
    summary_.end = reader->cursor();
    summary_.bytes_read += summary_.end.group.offset - from.offset;
    if (!going_on_)
      return {};
    const auto& end = summary_.end.group;
    auto tail = reader->unacknowledged_bytes();
    if (!last_ && (!tail || *tail != 0))
      return ends_inside_group(group_scanner{name_, limits_, end});
    // Of a log with more segments, the last one may have just been begun.
    if (!tail && !alone_ && start_.only_begun())
      tail = start_.tail_bytes();
    if (!tail)
      return fail(tail.error());
    summary_.unacknowledged_bytes = *tail;
    const auto unindexed = end.offset - from.offset;
    if (index && end.offset != 0)
      write_index(index_path(segment_.path), index->encode(end));
    else if (writes
             && unindexed > std::max(unindexed_bytes_max,
                                     from.offset / unindexed_part_max))
      extend_index();
    return {};
  }

  /// Adds what was written since the index was made.
  void extend_index() {
    const auto path = index_path(segment_.path);
    const auto file = input_file::open(path);
    const auto size = file ? file->size() : 0;
    std::string bytes;
    group_place from;
    if (!size || *size > index_bytes_max || !file->read(0, *size, bytes))
      return;
    auto index = session_index::decode(bytes, from);
    auto reader = log_reader::open(segment_.path, {segment_.number, from, 0},
                                   limits_);
    if (!index || !reader)
      return;
    while (true) {
      const auto event = reader->next();
      if (!event || (*event && !index->add(**event)))
        return;
      if (!*event)
        break;
    }
    write_index(path, index->encode(reader->cursor().group));
  }

  const log_segment& segment_;
  const std::string name_;
  const std::size_t index_;
  const bool alone_; // a log that never had another segment
  const bool last_;
  const uuid session_;
  const session_visitor& visit_;
  const read_limits& limits_;
  session_summary& summary_;
  group_scanner start_; // of the segment's first bytes, unless it is alone
  std::uint64_t shown_; // number of the last line shown
  const std::uint64_t until_; // a group that ends here or behind is the last
  bool going_on_ = true;
};

result<void> visit_segments(const std::vector<log_segment>& segments,
                            const uuid& session, const session_visitor& visit,
                            index_writing writing, const read_limits& limits,
                            const first_line& from, session_summary& summary) {
  for (std::size_t i = 0; i < segments.size(); ++i) {
    segment_read one{segments, i, session, visit, limits, from, summary};
    if (const auto more = one.run(writing); !more)
      return fail(more.error());
    else if (!*more)
      break;
  }
  return {};
}

} // namespace

result<session_summary>
visit_session(const fs::path& path, const uuid& session,
              const session_visitor& visit, index_writing writing,
              const read_limits& limits, const first_line& from) {
  // Segments that nobody needs may be removed while they are looked through.
  constexpr int looks_max = 3;
  for (int look = 1;; ++look) {
    const auto segments = log_segments(path);
    if (!segments)
      return fail(segments.error());
    session_summary summary;
    auto done = visit_segments(*segments, session, visit, writing, limits, from,
                               summary);
    if (done)
      return summary;
    if (look == looks_max || summary.lines != 0
        || !was_removed(path, segments->front().number))
      return fail(std::move(done).error());
  }
}

} // namespace convene::host
