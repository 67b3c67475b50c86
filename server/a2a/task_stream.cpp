#include <boost/json/serialize.hpp>
#include <convene/server/a2a/task_json.hpp>
#include <convene/server/a2a/task_stream.hpp>
#include <convene/server/a2a/task_wait.hpp>

#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;

void append(std::string& to, const char* name, json::object what) {
  to += "data: ";
  to += json::serialize(json::object{{name, std::move(what)}});
  to += "\n\n";
}

/// The task's end: all of it for who has just come, else what is new.
std::string ending_of(const task_view& now, bool is_first,
                      json::array artifacts) {
  std::string made;
  if (is_first) {
    append(made, "task", to_json(now, std::move(artifacts)));
    return made;
  }
  for (auto& each : artifacts)
    append(made, "artifactUpdate",
           {{"taskId", now.id},
            {"contextId", now.origin.context_id},
            {"artifact", std::move(each)},
            {"lastChunk", true}});
  append(made, "statusUpdate", status_update(now, now.status));
  return made;
}

} // namespace

task_stream::task_stream(session_host& host,
                         std::shared_ptr<const task_index> tasks,
                         task_view first, asking_task asking)
  : host_{host}, feed_{host.events()}, tasks_{std::move(tasks)},
    task_{std::move(first)}, asking_{asking}, place_{task_.place} {}

task_stream::~task_stream() {
  stop_waiting();
}

void task_stream::stop_waiting() {
  if (waits_ != 0)
    feed_->sessions().forget(task_.id, std::exchange(waits_, 0));
}

stream_source::part task_stream::begin_ending(const task_view& now,
                                              bool is_first,
                                              std::function<void()> more) {
  ending_ = std::make_shared<ending>();
  const auto taken = host_.look(
    now.id, [now, is_first, to = ending_](const protocol::result<void>& done,
                                          const session_view* view) {
      auto bytes = ending_of(now, is_first,
                             done ? artifacts_of(*view, now.origin.output)
                                  : json::array{});
      std::function<void()> call;
      {
        const std::lock_guard held{to->mutex};
        to->is_made = true;
        to->bytes = std::move(bytes);
        call = std::move(to->more);
      }
      if (call)
        call();
    });
  // Otherwise the reader will come again.
  return taken ? read_ending(std::move(more)) : part{.is_last = true};
}

stream_source::part task_stream::read_ending(std::function<void()> more) {
  const std::lock_guard held{ending_->mutex};
  if (ending_->is_made)
    return {std::move(ending_->bytes), true};
  ending_->more = std::move(more);
  return {};
}

stream_source::part task_stream::read(std::size_t, std::function<void()> more) {
  stop_waiting();
  if (ending_)
    return read_ending(std::move(more));
  auto& sessions = feed_->sessions();
  for (;;) {
    // Asked first: what is not there then will be told of.
    const bool closed = sessions.is_closed_for(task_.id);
    const auto row = sessions.find(task_.id);
    const auto events = row ? row->events : 0;
    auto now = tasks_->find(task_.id);
    if (now) // as this reader wants it
      now->origin.output = task_.origin.output;
    const bool is_first = !std::exchange(has_begun_, true);
    part made;
    if (is_first && !is_over(task_.status.state)) {
      append(made.bytes, "task", to_json(task_));
      if (asking_ == asking_task::ends_stream
          && task_.status.state == task_state::input_required)
        return {std::move(made.bytes), true};
    }
    for (const auto& each : tasks_->updates_after(task_.id, place_)) {
      if (is_over(each.state))
        break;
      place_ = each.place;
      append(made.bytes, "statusUpdate", status_update(task_, each));
      made.is_last = each.state == task_state::input_required;
      if (made.is_last)
        break;
    }
    if (!made.bytes.empty())
      return made;
    if (closed)
      return {.is_last = true};
    if (now && is_over(now->status.state) && can_be_shown(sessions, *now))
      return begin_ending(*now, is_over(task_.status.state), std::move(more));
    waits_ = sessions.when_more(task_.id, events, more,
                                session_catalog::clock::time_point::max());
    if (waits_ != 0)
      return {};
  }
}

} // namespace convene::server
