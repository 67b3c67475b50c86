#include <convene/runtime/runtime.hpp>
#include <convene/runtime/sinks.hpp>

#include <system_error>
#include <utility>

namespace convene::host {

using protocol::durability;
using protocol::result;

log_options log_options_for(const runtime_options& how) {
  std::error_code none;
  const bool folder = std::filesystem::is_directory(how.log, none);
  // Under virtual time the file is the same each time, too. Small groups, as a
  // crash loses the open one.
  constexpr std::size_t group_bytes_by_content = std::size_t{16} << 10;
  const log_options usual;
  // Where nobody waits for the disk, larger ones are cheaper to write.
  constexpr std::size_t group_bytes_unsynced = std::size_t{1} << 20;
  const auto group_bytes = how.durability == durability::none
                             ? group_bytes_unsynced
                             : usual.group_bytes;
  return {.group_bytes = how.seed ? group_bytes_by_content : group_bytes,
          .closes_by = how.seed ? group_end::content : group_end::time,
          .durability = how.durability,
          .existing = existing_log::append,
          .segment_bytes = folder ? how.log_segment_bytes : 0,
          .keep_bytes = how.log_keep_bytes,
          .keep_time = how.log_keep_time,
          .companions = how.log_companions};
}

log_sink::log_sink(std::unique_ptr<event_log_writer> log,
                   protocol::durability durability, bool waits)
  : log_{std::move(log)}, durability_{durability}, waits_{waits} {
  if (log_)
    log_->on_kept([this](const result<log_position>& until) {
      if (until)
        bus_.kept(*until);
      else
        bus_.end(subscription_end::log_failed);
    });
}

result<void> log_sink::append(std::string_view, std::string_view lines,
                              std::size_t /*count*/) {
  if (bus_.is_active())
    bus_.wait_for_room();
  const auto placed = log_ ? log_->append(lines)
                           : result<log_position>{appended_ += lines.size()};
  if (!placed)
    return protocol::fail(placed.error());
  if (bus_.is_active()) {
    bus_.appended(lines, *placed - lines.size(), *placed);
    if (!log_)
      bus_.kept(*placed);
  }
  return {};
}

result<subscription> log_sink::subscribe(subscription_options how) {
  // Who waits holds virtual time, which the subscriber may need to catch up.
  if (waits_ && how.behind == when_behind::wait)
    return protocol::fail(protocol::errc::not_allowed,
                          "under virtual time sessions cannot wait for a "
                          "subscriber: use when_behind::skip or detach",
                          "virtual_time");
  return bus_.subscribe(std::move(how), [this] {
    return log_ ? log_->appended() : appended_.load();
  });
}

bool log_sink::congested() const noexcept {
  return log_ && !waits_ && log_->congested();
}

bool log_sink::is_durable(actors::when_kept&& then) {
  if (!log_ || (durability_ == durability::none && !log_->congested()))
    return true;
  if (!waits_) {
    log_->call_when_kept(log_->appended(), std::move(then));
    return false;
  }
  auto kept = log_->flush();
  if (kept)
    return true;
  then(std::move(kept));
  return false;
}

result<void> log_sink::flush() {
  return log_ ? log_->flush() : result<void>{};
}

result<void> log_sink::flush_closed() {
  return log_ ? log_->flush_closed() : result<void>{};
}

result<void> log_sink::close() {
  auto closed = log_ ? log_->close() : result<void>{};
  bus_.end(closed ? subscription_end::runtime_closed
                  : subscription_end::log_failed);
  return closed;
}

result<void> observed_sink::append(std::string_view session_id,
                                   std::string_view lines, std::size_t count) {
  auto kept = next().append(session_id, lines, count);
  return kept ? show(session_id, lines) : kept;
}

result<void> observed_sink::show(std::string_view session_id,
                                 std::string_view lines) {
  std::string why = "something other than std::exception";
  try {
    watch_(session_id, lines);
    return {};
  } catch (const std::exception& thrown) {
    why = thrown.what();
  } catch (...) {
    // nop
  }
  return protocol::fail(protocol::errc::internal, "the observer threw: " + why);
}

} // namespace convene::host
