#include <convene/runtime/log/event_log/writer.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <algorithm>
#include <system_error>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace convene::host {

using namespace protocol;

namespace {

constexpr std::size_t spare_groups_max = 4;

/// What a caller writes itself: this much at a time, and so often.
constexpr std::size_t written_here_bytes_max = std::size_t{64} << 10;
constexpr int written_here_max = 4;

/// How often a log is trimmed to which nobody writes.
std::chrono::milliseconds trim_interval(const log_options& how) {
  constexpr int parts = 8;
  if (how.keep_time.count() == 0)
    return how.keep_interval;
  return std::min(how.keep_interval,
                  how.keep_time / parts + std::chrono::milliseconds{1});
}

void pause(int times) {
#ifdef __SSE2__
  for (int i = 0; i < times; ++i)
    _mm_pause();
#endif
}

/// Appenders hold the lock while they take room for their lines, which is over
/// sooner than a thread has gone to sleep: it is tried for a while before, and
/// less and less often, as every try takes the lock's cache line from whoever
/// holds it.
std::unique_lock<std::mutex> lock_briefly_held(std::mutex& what) {
  constexpr int tries = 64;
  constexpr int pauses_max = 16;
  std::unique_lock lock{what, std::try_to_lock};
  int pauses = 1;
  for (int i = 0; i < tries && !lock.owns_lock(); ++i) {
    pause(pauses);
    pauses = std::min(2 * pauses, pauses_max);
    static_cast<void>(lock.try_lock());
  }
  if (!lock.owns_lock())
    lock.lock();
  return lock;
}

} // namespace

event_log_writer::event_log_writer(segment_writer segments,
                                   const log_options& options)
  : options_{options}, found_{segments.found()},
    name_{segments.path().string()}, segments_{std::move(segments)} {
  // nop
}

event_log_writer::~event_log_writer() {
  // Whoever wants to know the outcome has called close().
  static_cast<void>(close());
}

result<std::unique_ptr<event_log_writer>>
event_log_writer::open(const std::filesystem::path& path,
                       const log_options& options, const log_visitor& visit) {
  auto segments = segment_writer::open(path, options, visit);
  if (!segments)
    return fail(std::move(segments).error());
  // make_unique cannot reach the private constructor.
  std::unique_ptr<event_log_writer> writer{
    new event_log_writer{*std::move(segments), options}};
  try {
    writer->thread_ = std::thread{[self = writer.get()] { self->run(); }};
  } catch (const std::system_error& cause) {
    return fail(file_error(errc::io_failed, path,
                           std::string{"cannot start a thread for the log: "}
                             + cause.what(),
                           "threads"));
  }
  return writer;
}

result<void> event_log_writer::state() const {
  if (progress_.failure())
    return fail(*progress_.failure());
  if (closing_)
    return fail({.code = errc::not_allowed,
                 .message = "the log has been closed",
                 .file = name_});
  return {};
}

void event_log_writer::urge(log_position place) {
  is_closed_ = is_closed_ || place > closed();
  urged_ = std::max(urged_, place);
  work_.notify_one();
}

log_position event_log_writer::closed() const {
  const bool has_open = by_content() && !is_closed_ && !pending_.empty();
  const auto appended = progress_.appended();
  return has_open ? appended - pending_.back()->size() : appended;
}

result<log_position> event_log_writer::append(std::string_view lines,
                                              bool call_follows) {
  if (lines.empty() || lines.back() != '\n')
    return fail(errc::internal, "a log takes complete lines only");
  if (lines.size() > options_.buffer_bytes)
    return fail({.code = errc::limit_reached,
                 .message = "the lines are longer than the log's buffer",
                 .file = name_,
                 .rule = "log_buffer_bytes",
                 .value = std::to_string(lines.size())});
  bool wake = false;
  log_position place = 0;
  log_group* group = nullptr;
  char* room = nullptr;
  {
    auto lock = lock_briefly_held(mutex_);
    const auto fits = [&] {
      return progress_.failure() || closing_
             || progress_.waiting() + lines.size() <= options_.buffer_bytes;
    };
    while (!fits()) {
      // Of lines that will never fit beside it, an open group makes room.
      const auto open = pending_.empty() ? 0 : pending_.back()->size();
      if (!by_content() || open + lines.size() > options_.buffer_bytes)
        urge(progress_.appended());
      space_.wait(lock);
    }
    if (auto ok = state(); !ok)
      return fail(std::move(ok).error());
    // The thread needs to know of a group's first line and of a full group.
    const bool first = pending_.empty();
    const bool due = is_due();
    group = &group_for(lines.size());
    room = group->take(lines.size());
    place = progress_.append(lines.size());
    waiting_.store(progress_.waiting(), std::memory_order_relaxed);
    wake = (first && !call_follows) || (!due && is_due());
  }
  group->fill(room, lines); // which is not written before
  if (wake)
    work_.notify_one();
  return place;
}

std::size_t event_log_writer::group_most() const noexcept {
  return by_content()
           ? options_.group_bytes
           : std::max(options_.group_bytes, options_.group_bytes_max);
}

log_group& event_log_writer::group_for(std::size_t bytes) {
  const auto most = group_most();
  const bool may_grow = !pending_.empty() && !(by_content() && is_closed_);
  if (may_grow && pending_.back()->size() + bytes <= most)
    return *pending_.back();
  is_closed_ = false;
  if (spare_.empty() || bytes > most) {
    pending_.push_back(std::make_unique<log_group>(std::max(bytes, most)));
  } else {
    pending_.push_back(std::move(spare_.back()));
    spare_.pop_back();
  }
  return *pending_.back();
}

bool event_log_writer::is_due() const {
  if (pending_.size() > 1 || (by_content() && is_closed_))
    return !pending_.empty();
  return (!by_content() && !pending_.empty()
          && pending_.front()->size() >= options_.group_bytes);
}

bool event_log_writer::congested() const noexcept {
  return waiting_.load(std::memory_order_relaxed) > options_.buffer_bytes / 2;
}

log_position event_log_writer::appended() const {
  const std::lock_guard lock{mutex_};
  return progress_.appended();
}

log_position event_log_writer::kept() const {
  const std::lock_guard lock{mutex_};
  return progress_.kept();
}

void event_log_writer::call_when_kept(log_position place, when_kept then) {
  result<void> outcome;
  {
    const std::lock_guard lock{mutex_};
    place = std::min(place, progress_.appended());
    if (progress_.call_later(place, then))
      return urge(place);
    outcome = progress_.outcome(place);
  }
  then(std::move(outcome));
}

void event_log_writer::write_and_call(log_position place, when_kept then) {
  std::unique_lock lock{mutex_};
  place = std::min(place, progress_.appended());
  if (by_content() || (!is_writing_ && !may_write_here())) {
    lock.unlock();
    return call_when_kept(place, std::move(then));
  }
  if (!progress_.call_later(place, then)) {
    lock.unlock();
    return call_when_kept(place, std::move(then));
  }
  urged_ = std::max(urged_, place);
  if (is_writing_) // who is looks for more before it stops
    return;
  for (int i = 0; i < written_here_max && may_write_here(); ++i)
    write_next(lock);
  if (!pending_.empty() || closing_ || progress_.failure())
    work_.notify_one();
}

bool event_log_writer::may_write_here() const {
  return options_.durability == durability::none && !by_content()
         && !is_writing_ && !closing_ && !progress_.failure()
         && pending_.size() == 1
         && pending_.front()->size() <= written_here_bytes_max
         && !segments_.is_full();
}

void event_log_writer::on_kept(
  std::function<void(const result<log_position>&)> each) {
  const std::lock_guard lock{mutex_};
  on_kept_ = std::move(each);
}

result<void> event_log_writer::flush() {
  std::unique_lock lock{mutex_};
  const auto target = progress_.appended();
  urge(target);
  return wait_until_kept(lock, target);
}

result<void> event_log_writer::flush_closed() {
  std::unique_lock lock{mutex_};
  const auto target = closed();
  if (!by_content())
    urge(target);
  return wait_until_kept(lock, target);
}

result<void>
event_log_writer::wait_until_kept(std::unique_lock<std::mutex>& lock,
                                  log_position target) {
  space_.wait(lock, [&] { return progress_.is_settled(target); });
  if (progress_.failure())
    return fail(*progress_.failure());
  return {};
}

result<void> event_log_writer::close() {
  const std::lock_guard only{close_mutex_};
  {
    const std::lock_guard lock{mutex_};
    closing_ = true;
  }
  work_.notify_one();
  space_.notify_all();
  if (thread_.joinable())
    thread_.join();
  auto closed = segments_.close();
  const std::lock_guard lock{mutex_};
  if (!closed)
    progress_.fail(std::move(closed).error());
  if (progress_.failure())
    return fail(*progress_.failure());
  return {};
}

void event_log_writer::wait_for_group(std::unique_lock<std::mutex>& lock) {
  if (by_content())
    return work_.wait(lock, [&] { return closing_ || is_due(); });
  const auto is_over = [&] { return closing_ || progress_.failure(); };
  const auto is_wanted = [&] {
    return !is_writing_ && (is_over() || !pending_.empty());
  };
  // Others may write what waits, and then nothing does.
  do {
    if (!options_.removes())
      work_.wait(lock, is_wanted);
    else if (!work_.wait_for(lock, trim_interval(options_), is_wanted)) {
      trim(lock);
      continue;
    }
    work_.wait_for(lock, options_.group_interval, [&] {
      return is_over() || is_due() || urged_ > progress_.kept();
    });
  } while (is_writing_ || (pending_.empty() && !is_over()));
}

/// While nobody writes: what is not to be kept any longer goes by itself.
void event_log_writer::trim(std::unique_lock<std::mutex>& lock) noexcept {
  if (is_writing_)
    return;
  is_writing_ = true;
  progress_.write(
    0,
    [&] {
      lock.unlock();
      auto outcome = segments_.trim();
      lock.lock();
      return outcome;
    },
    [&](const log_progress::news& what) { tell(lock, what); });
  is_writing_ = false;
}

void event_log_writer::run() {
  std::unique_lock lock{mutex_};
  while (!progress_.failure()) {
    wait_for_group(lock);
    if (progress_.failure() || pending_.empty())
      return;
    write_next(lock);
  }
}

void event_log_writer::write_next(std::unique_lock<std::mutex>& lock) noexcept {
  is_writing_ = true;
  auto group = std::move(pending_.front());
  pending_.pop_front();
  progress_.write(
    group->size(),
    [&] {
      lock.unlock();
      while (!group->is_filled())
        std::this_thread::yield();
      auto outcome = keep(*group);
      lock.lock();
      spare(std::move(group));
      return outcome;
    },
    [&](const log_progress::news& what) { tell(lock, what); });
  is_writing_ = false;
}

void event_log_writer::spare(std::unique_ptr<log_group> group) {
  if (spare_.size() < spare_groups_max && group->room() == group_most()) {
    group->clear();
    spare_.push_back(std::move(group));
  }
}

result<void> event_log_writer::keep(log_group& group) {
  return segments_.write(group).and_then([this] { return segments_.sync(); });
}

void event_log_writer::tell(std::unique_lock<std::mutex>& lock,
                            const log_progress::news& what) {
  waiting_.store(progress_.waiting(), std::memory_order_relaxed);
  space_.notify_all();
  lock.unlock();
  if (on_kept_)
    on_kept_(what.until);
  what.make();
  lock.lock();
}

} // namespace convene::host
