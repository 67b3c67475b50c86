#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/server/a2a/task_index.hpp>

#include <algorithm>

namespace convene::server {
namespace {

namespace json = boost::json;

json::object event_of(std::string_view line) {
  auto event = protocol::parse_json(line);
  return event && event->is_object() ? std::move(event->get_object())
                                     : json::object{};
}

task_view view_of(const std::string& id, const task& one) {
  return {.id = id,
          .origin = one.origin(),
          .status = one.status(),
          .place = one.updates(),
          .questions = {one.questions().begin(), one.questions().end()}};
}

} // namespace

void task_index::see(std::string_view session_id, std::string_view line) {
  const auto type = host::type_at_once(line).value_or("");
  if (!may_change_requests(type) && type != "MAPSessionStarted")
    return;
  const std::string id{session_id};
  if (type == "MAPSessionStarted") {
    const auto event = event_of(line);
    const auto& scenario
      = protocol::object_of(protocol::object_of(event, "payload"), "spec");
    auto origin = origin_of(scenario);
    if (!origin)
      return;
    task made{*std::move(origin), scenario,
              std::string{protocol::text_of(event, "timestamp")}};
    const std::lock_guard held{mutex_};
    tasks_.try_emplace(id, std::move(made));
    return;
  }
  {
    const std::lock_guard held{mutex_};
    const auto at = tasks_.find(id);
    if (at == tasks_.end() || !at->second.concerns(type))
      return;
  }
  const auto event = event_of(line);
  const std::lock_guard held{mutex_};
  auto& one = tasks_.at(id);
  one.feed(event);
  if (!is_over(one.status().state))
    return;
  whole_.push_back(id);
  if (whole_.size() > whole_max) {
    tasks_.at(whole_.front()).forget();
    whole_.pop_front();
  }
}

std::optional<task_view> task_index::find(const std::string& id) const {
  const std::lock_guard held{mutex_};
  const auto found = tasks_.find(id);
  if (found == tasks_.end())
    return std::nullopt;
  return view_of(id, found->second);
}

std::vector<task_status> task_index::updates_after(const std::string& id,
                                                   std::size_t place) const {
  const std::lock_guard held{mutex_};
  const auto found = tasks_.find(id);
  if (found == tasks_.end())
    return {};
  return found->second.updates_after(place);
}

bool task_index::has_taken(const std::string& id,
                           const std::string& message_id) const {
  const std::lock_guard held{mutex_};
  const auto found = tasks_.find(id);
  return found != tasks_.end() && found->second.has_taken(message_id);
}

task_index::page task_index::list(const wish& which) const {
  using place = std::pair<std::string_view, std::string_view>;
  const std::lock_guard held{mutex_};
  std::vector<place> found;
  page made;
  const place after{which.after.first, which.after.second};
  for (const auto& [id, one] : tasks_) {
    const auto& status = one.status();
    if ((!which.context_id.empty()
         && which.context_id != one.origin().context_id)
        || (which.state && *which.state != status.state)
        || status.timestamp < which.since)
      continue;
    ++made.total;
    const place at{status.timestamp, id};
    if (which.after.second.empty() || at < after)
      found.push_back(at);
  }
  made.more = found.size() > which.limit;
  const auto end
    = found.begin()
      + static_cast<std::ptrdiff_t>(std::min(found.size(), which.limit));
  std::partial_sort(found.begin(), end, found.end(), std::greater{});
  for (auto at = found.begin(); at != end; ++at) {
    const std::string id{at->second};
    made.tasks.push_back(view_of(id, tasks_.at(id)));
  }
  return made;
}

void task_index::forget(const std::string& session_id) {
  const std::lock_guard held{mutex_};
  if (tasks_.erase(session_id) != 0)
    std::erase(whole_, session_id);
}

} // namespace convene::server
