#include <convene/server/sessions/log_follower.hpp>

#include <memory>
#include <utility>
#include <variant>

namespace convene::server {

protocol::result<std::unique_ptr<log_follower>>
log_follower::open(const std::filesystem::path& log, std::uint64_t found,
                   subscription more, calls to) {
  auto reader = host::log_reader::open(log);
  if (!reader)
    return protocol::fail(std::move(reader).error());
  std::unique_ptr<log_follower> made{
    new log_follower{*std::move(reader), std::move(more), std::move(to)}};
  made->durable_ = found;
  if (auto shown = made->show(found); !shown)
    return protocol::fail(std::move(shown).error());
  made->thread_ = std::thread{[self = made.get()] { self->run(); }};
  return made;
}

log_follower::~log_follower() {
  if (thread_.joinable())
    thread_.join();
}

protocol::result<void> log_follower::show(std::uint64_t until) {
  while (shown_ < until) {
    const auto event = reader_.next();
    if (!event)
      return protocol::fail(event.error());
    if (!*event)
      break;
    const auto& segment = reader_.segments()[(*event)->file_index];
    ++shown_;
    to_.event({segment.path.string(), (*event)->file_index, segment.number,
               (*event)->number, (*event)->offset},
              (*event)->text);
  }
  to_.pause();
  return {};
}

void log_follower::run() {
  std::optional<protocol::error> failed;
  while (const auto next = more_.next()) {
    const auto* missed = std::get_if<events_missed>(&*next);
    durable_ += missed != nullptr ? missed->count : 1;
    if (auto shown = show(durable_); !shown) {
      failed = std::move(shown).error();
      break;
    }
  }
  if (!failed && more_.ended() == subscription_end::log_failed)
    failed = {.code = protocol::errc::io_failed,
              .message = "nothing more can be written to it",
              .rule = "log_failed"};
  more_.cancel();
  to_.end(std::move(failed));
}

} // namespace convene::server
