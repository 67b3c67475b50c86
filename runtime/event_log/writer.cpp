#include <convene/runtime/event_log/marks.hpp>
#include <convene/runtime/event_log/mutant.hpp>
#include <convene/runtime/event_log/writer.hpp>

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

namespace convene::host {

using protocol::errc;
using protocol::fail;
using protocol::result;

namespace {

constexpr std::size_t spare_groups_max = 4;

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
    return fail({.code = errc::io_failed,
                 .message = std::string{"cannot start a thread for the log: "}
                            + cause.what(),
                 .file = path.string(),
                 .rule = "threads"});
  }
  return writer;
}

result<void> event_log_writer::state() const {
  if (failure_)
    return fail(*failure_);
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
  return has_open ? appended_ - pending_.back().size() : appended_;
}

result<log_position> event_log_writer::append(std::string_view lines) {
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
  {
    std::unique_lock lock{mutex_};
    const auto fits = [&] {
      return failure_ || closing_
             || appended_ - kept_ + lines.size() <= options_.buffer_bytes;
    };
    while (!fits()) {
      // Of lines that will never fit beside it, an open group makes room.
      const auto open = pending_.empty() ? 0 : pending_.back().size();
      if (!by_content() || open + lines.size() > options_.buffer_bytes)
        urge(appended_);
      space_.wait(lock);
    }
    if (auto ok = state(); !ok)
      return fail(std::move(ok).error());
    // The thread needs to know of a group's first line and of a full group.
    const bool first = pending_.empty();
    const bool due = is_due();
    group_for(lines.size()) += lines;
    place = appended_ += lines.size();
    waiting_.store(appended_ - kept_, std::memory_order_relaxed);
    wake = first || (!due && is_due());
  }
  if (wake)
    work_.notify_one();
  return place;
}

std::size_t event_log_writer::group_most() const noexcept {
  return by_content()
           ? options_.group_bytes
           : std::max(options_.group_bytes, options_.group_bytes_max);
}

std::string& event_log_writer::group_for(std::size_t bytes) {
  const auto most = group_most();
  const bool may_grow = !pending_.empty() && !(by_content() && is_closed_);
  if (may_grow && pending_.back().size() + bytes <= most)
    return pending_.back();
  is_closed_ = false;
  if (spare_.empty()) {
    // With room for its own last line: a group is never copied.
    pending_.emplace_back().reserve(most + group_line_bytes_max);
  } else {
    pending_.push_back(std::move(spare_.back()));
    spare_.pop_back();
  }
  return pending_.back();
}

bool event_log_writer::is_due() const {
  if (pending_.size() > 1 || (by_content() && is_closed_))
    return !pending_.empty();
  return (!by_content() && !pending_.empty()
          && pending_.front().size() >= options_.group_bytes);
}

bool event_log_writer::congested() const noexcept {
  return waiting_.load(std::memory_order_relaxed) > options_.buffer_bytes / 2;
}

log_position event_log_writer::appended() const {
  const std::lock_guard lock{mutex_};
  return appended_;
}

log_position event_log_writer::kept() const {
  const std::lock_guard lock{mutex_};
  return kept_;
}

void event_log_writer::call_when_kept(log_position place, when_kept then) {
  result<void> outcome;
  {
    const std::lock_guard lock{mutex_};
    place = std::min(place, appended_);
    if (kept_ < place && !off(log_mutant::acknowledgement_wait)) {
      if (!failure_) {
        calls_.push_back({place, std::move(then)});
        return urge(place);
      }
      outcome = fail(*failure_);
    }
  }
  then(std::move(outcome));
}

void event_log_writer::on_kept(
  std::function<void(const result<log_position>&)> each) {
  const std::lock_guard lock{mutex_};
  on_kept_ = std::move(each);
}

result<void> event_log_writer::flush() {
  std::unique_lock lock{mutex_};
  urge(appended_);
  return wait_until_kept(lock, appended_);
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
  space_.wait(lock, [&] {
    return failure_ || kept_ >= target || off(log_mutant::acknowledgement_wait);
  });
  if (failure_)
    return fail(*failure_);
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
  if (!failure_ && !closed)
    failure_ = std::move(closed).error();
  if (failure_)
    return fail(*failure_);
  return {};
}

void event_log_writer::wait_for_group(std::unique_lock<std::mutex>& lock) {
  if (by_content())
    return work_.wait(lock, [&] { return closing_ || is_due(); });
  work_.wait(lock, [&] { return closing_ || !pending_.empty(); });
  work_.wait_for(lock, options_.group_interval,
                 [&] { return closing_ || is_due() || urged_ > kept_; });
}

void event_log_writer::run() {
  std::unique_lock lock{mutex_};
  while (!failure_) {
    wait_for_group(lock);
    if (pending_.empty())
      return;
    auto group = std::move(pending_.front());
    pending_.pop_front();
    const auto size = group.size();
    if (off(log_mutant::sync_order))
      settle(lock, {}, size);
    lock.unlock();
    const auto outcome = keep(group);
    lock.lock();
    if (spare_.size() < spare_groups_max
        && group.capacity() <= group_most() + group_line_bytes_max) {
      group.clear();
      spare_.push_back(std::move(group));
    }
    settle(lock, outcome, off(log_mutant::sync_order) ? 0 : size);
  }
}

result<void> event_log_writer::keep(std::string& group) {
  if (auto written = segments_.write(group); !written || off(log_mutant::sync))
    return written;
  return segments_.sync();
}

void event_log_writer::settle(std::unique_lock<std::mutex>& lock,
                              const result<void>& outcome, std::size_t size) {
  if (outcome) {
    kept_ += size;
    waiting_.store(appended_ - kept_, std::memory_order_relaxed);
  } else {
    failure_ = outcome.error();
  }
  const auto due = std::stable_partition(calls_.begin(), calls_.end(),
                                         [&](const waiting_call& call) {
                                           return outcome && call.place > kept_;
                                         });
  std::vector<waiting_call> made{std::make_move_iterator(due),
                                 std::make_move_iterator(calls_.end())};
  calls_.erase(due, calls_.end());
  space_.notify_all();
  const auto until = outcome ? result<log_position>{kept_}
                             : result<log_position>{fail(*failure_)};
  lock.unlock();
  if (on_kept_)
    on_kept_(until);
  for (auto& call : made)
    call.then(outcome);
  lock.lock();
}

} // namespace convene::host
