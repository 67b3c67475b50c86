#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/log/event_log/session_reader.hpp>
#include <convene/server/sessions/event_places.hpp>

#include <algorithm>
#include <utility>

namespace convene::server {
namespace {

/// Segments are named by their numbers, which never change.
host::log_place by_segment(const host::log_place& from) {
  return {from.file, from.segment, from.segment, from.number, from.offset};
}

} // namespace

event_places::event_places(std::filesystem::path log)
  : log_{std::move(log)}, files_{std::make_shared<const file_names>()} {
  // nop
}

void event_places::note(const host::log_place& place) {
  const std::lock_guard held{mutex_};
  if (place.segment < files_->size() && !(*files_)[place.segment].empty())
    return;
  auto more = *files_;
  more.resize(std::max<std::size_t>(more.size(), place.segment + 1));
  more[place.segment] = place.file;
  files_ = std::make_shared<const file_names>(std::move(more));
}

void event_places::add(std::string_view session_id,
                       const host::log_place& place, std::size_t bytes) {
  note(place);
  std::shared_ptr<book> of;
  {
    const std::lock_guard held{mutex_};
    auto& found = books_[std::string{session_id}];
    if (!found)
      found = std::make_shared<book>();
    of = found;
  }
  const std::lock_guard held{of->mutex};
  of->lines.add(by_segment(place), bytes);
}

void event_places::end(std::string_view session_id) {
  std::shared_ptr<book> of;
  {
    const std::lock_guard held{mutex_};
    of = books_[std::string{session_id}];
  }
  keep(std::string{session_id}, std::move(of));
}

void event_places::keep(const std::string& session_id,
                        std::shared_ptr<book> what) {
  const std::lock_guard held{mutex_};
  books_[session_id] = std::move(what);
  ended_.push_back(session_id);
  if (ended_.size() <= ended_max)
    return;
  books_.erase(ended_.front());
  ended_.pop_front();
}

void event_places::forget(const std::string& session_id) {
  const std::lock_guard held{mutex_};
  if (books_.erase(session_id) != 0)
    std::erase(ended_, session_id);
}

bool event_places::has(const std::string& session_id) const {
  const std::lock_guard held{mutex_};
  return books_.contains(session_id);
}

protocol::result<void> event_places::load(const std::string& session_id) {
  if (has(session_id))
    return {};
  const auto session = protocol::parse_uuid(session_id);
  if (!session)
    return protocol::fail(protocol::errc::unreadable,
                          "a session's id is a UUID");
  auto found = std::make_shared<book>();
  const auto read = host::visit_session(
    log_, *session, [&](const host::log_place& place, std::string_view line) {
      note(place);
      found->lines.add(by_segment(place), line.size());
      return true;
    });
  if (!read)
    return protocol::fail(read.error());
  keep(session_id, std::move(found));
  return {};
}

protocol::result<bool>
event_places::read(const std::string& session_id, std::uint64_t first,
                   const page_limits& limits,
                   std::vector<std::string>& into) const {
  std::shared_ptr<const book> of;
  std::shared_ptr<const file_names> files;
  {
    const std::lock_guard held{mutex_};
    const auto found = books_.find(session_id);
    if (found == books_.end())
      return false;
    of = found->second;
    files = files_;
  }
  std::size_t events = 0;
  std::size_t bytes = 0;
  bool is_full = false;
  while (events < limits.events && !is_full) {
    const auto before = events;
    // The log's follower adds lines meanwhile, and must not wait for the disk.
    const auto places = [&] {
      const std::lock_guard held{of->mutex};
      return of->lines.excerpt_of({.first = first + events,
                                   .count = limits.events - events,
                                   .bytes = limits.bytes - bytes});
    }();
    auto done = places.lines.visit(
      *files, places.which, [&](const host::log_place&, std::string_view line) {
        is_full = is_full || (events > 0 && line.size() > limits.bytes - bytes);
        if (is_full)
          return;
        into.emplace_back(line);
        bytes = std::min(bytes + line.size(), limits.bytes);
        ++events;
      });
    if (!done)
      return protocol::fail(std::move(done).error());
    if (events == before)
      break; // these were all
  }
  return true;
}

} // namespace convene::server
