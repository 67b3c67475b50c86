#include <convene/runtime/event_log/crc32c.hpp>
#include <convene/runtime/event_log/marks.hpp>
#include <convene/runtime/event_log/writer.hpp>

#include <system_error>
#include <utility>

namespace convene::host {

using protocol::errc;
using protocol::fail;
using protocol::result;

event_log_writer::event_log_writer(log_file file, const log_options& options)
  : options_{options}, file_{std::move(file)} {
  // nop
}

event_log_writer::~event_log_writer() {
  // Whoever wants to know the outcome has called close().
  static_cast<void>(close());
}

result<std::unique_ptr<event_log_writer>>
event_log_writer::open(const std::filesystem::path& path,
                       const log_options& options) {
  auto file = log_file::create(path);
  if (!file)
    return fail(std::move(file).error());
  // make_unique cannot reach the private constructor.
  std::unique_ptr<event_log_writer> writer{
    new event_log_writer{*std::move(file), options}};
  std::string first{log_opened_line};
  first += '\n';
  if (auto written = writer->write_group(first); !written)
    return fail(std::move(written).error());
  try {
    writer->thread_ = std::thread{[self = writer.get()] { self->run(); }};
  } catch (const std::system_error& cause) {
    return fail(
      {.code = errc::limit_reached,
       .message = std::string{"no thread for the log: "} + cause.what(),
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
                 .file = file_.path().string()});
  return {};
}

void event_log_writer::urge() {
  flush_to_ = appended_;
  work_.notify_one();
}

result<void> event_log_writer::append(std::string_view lines) {
  if (lines.empty() || lines.back() != '\n')
    return fail(errc::internal, "a log takes complete lines only");
  if (lines.size() > options_.buffer_bytes)
    return fail({.code = errc::limit_reached,
                 .message = "the lines are longer than the log's buffer",
                 .file = file_.path().string(),
                 .rule = "log_buffer_bytes",
                 .value = std::to_string(lines.size())});
  bool wake = false;
  {
    std::unique_lock lock{mutex_};
    const auto fits = [&] {
      return failure_ || closing_
             || appended_ - written_ + lines.size() <= options_.buffer_bytes;
    };
    while (!fits()) {
      urge();
      space_.wait(lock);
    }
    if (auto ok = state(); !ok)
      return ok;
    // The thread needs to know of a group's first line and of a full group.
    const auto before = pending_.size();
    pending_ += lines;
    appended_ += lines.size();
    waiting_.store(appended_ - written_, std::memory_order_relaxed);
    wake = before == 0
           || (before < options_.group_bytes
               && pending_.size() >= options_.group_bytes);
  }
  if (wake)
    work_.notify_one();
  return {};
}

bool event_log_writer::congested() const noexcept {
  return waiting_.load(std::memory_order_relaxed) > options_.buffer_bytes / 2;
}

result<void> event_log_writer::flush() {
  std::unique_lock lock{mutex_};
  const auto target = appended_;
  urge();
  space_.wait(lock, [&] { return failure_ || written_ >= target; });
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
  auto closed = file_.close();
  const std::lock_guard lock{mutex_};
  if (!failure_ && !closed)
    failure_ = std::move(closed).error();
  if (failure_)
    return fail(*failure_);
  return {};
}

void event_log_writer::wait_for_group(std::unique_lock<std::mutex>& lock) {
  work_.wait(lock, [&] { return closing_ || !pending_.empty(); });
  work_.wait_for(lock, options_.group_interval, [&] {
    return closing_ || pending_.size() >= options_.group_bytes
           || flush_to_ > written_;
  });
}

void event_log_writer::run() {
  std::string group; // the other half of the double buffer
  std::unique_lock lock{mutex_};
  while (true) {
    wait_for_group(lock);
    if (pending_.empty())
      return;
    group.clear();
    std::swap(group, pending_);
    const auto size = group.size();
    lock.unlock();
    auto done = write_group(group);
    lock.lock();
    if (done) {
      written_ += size;
      waiting_.store(appended_ - written_, std::memory_order_relaxed);
    } else {
      failure_ = std::move(done).error();
    }
    space_.notify_all();
    if (failure_)
      return;
  }
}

result<void> event_log_writer::write_group(std::string& group) {
  const auto crc = crc32c(group);
  group
    += to_line({.bytes = group.size(), .crc = crc, .previous = previous_crc_});
  group += '\n';
  previous_crc_ = crc;
  return file_.write(group);
}

} // namespace convene::host
