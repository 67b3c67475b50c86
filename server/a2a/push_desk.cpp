#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <convene/server/a2a/push_desk.hpp>
#include <convene/server/a2a/task_json.hpp>
#include <convene/server/a2a/task_wait.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;
using protocol::result;
using std::chrono::milliseconds;

/// A session that has just ended is shown soon.
constexpr milliseconds until_shown{50};
constexpr milliseconds until_room{1'000};

host::http_request request_to(const push_config& to, const json::object& what,
                              std::string key) {
  host::http_request made{.url = to.url,
                          .headers
                          = {{"Content-Type", std::string{a2a_media_type}},
                             {"Idempotency-Key", std::move(key)}},
                          .body = json::serialize(what)};
  if (!to.scheme.empty())
    made.headers.push_back(
      {"Authorization",
       to.scheme + (to.credentials.empty() ? "" : ' ' + to.credentials)});
  if (!to.token.empty())
    made.headers.push_back({"X-A2A-Notification-Token", to.token});
  return made;
}

} // namespace

result<std::shared_ptr<push_desk>> push_desk::open(push_options how) {
  auto folder = private_folder::open(how.folder);
  if (!folder)
    return protocol::fail(std::move(folder).error());
  return std::shared_ptr<push_desk>{
    new push_desk{std::move(how), *std::move(folder)}};
}

push_desk::push_desk(push_options how, private_folder files)
  : how_{std::move(how)}, book_{std::move(files)}, caller_{how_.allow,
                                                           how_.secret} {}

push_desk::~push_desk() {
  stop();
}

void push_desk::stop() {
  alarms_.stop();
  caller_.stop();
}

void push_desk::soon(std::function<void()> then) {
  alarms_.at(alarms::clock::now(), std::move(then));
}

void push_desk::begin(session_host& host,
                      const std::shared_ptr<const task_index>& tasks) {
  const auto names = book_.tasks();
  for (const auto& task : names)
    if (!tasks->find(task))
      forget(task); // a kill came before the task began
  soon([this, &host, tasks, names] {
    host_ = &host;
    tasks_ = tasks;
    for (const auto& task : names)
      look_at(task);
  });
}

void push_desk::put(const std::string& task, push_config what,
                    std::function<void(result<void>)> then) {
  const auto number = book_.put(task, std::move(what));
  if (!number)
    return then(protocol::fail(number.error()));
  soon([this, task, number = *number, then = std::move(then)] {
    auto kept = book_.save(task);
    if (!kept)
      end(task, number);
    then(std::move(kept));
    look_at(task);
  });
}

std::vector<push_config> push_desk::of(const std::string& task) const {
  std::vector<push_config> made;
  for (auto& each : book_.of(task))
    made.push_back(std::move(each.what));
  return made;
}

void push_desk::remove(const std::string& task, const std::string& id,
                       std::function<void()> then) {
  soon([this, task, id, then = std::move(then)] {
    book_.remove(task, [&](const auto& each) { return each.what.id == id; });
    save(task);
    then();
  });
}

void push_desk::forget(const std::string& task) {
  if (!book_.has(task))
    return;
  book_.remove(task, [](const auto&) { return true; });
  soon([this, task] { save(task); });
}

void push_desk::changed(std::string_view task) {
  if (book_.has(task))
    soon([this, task = std::string{task}] { look_at(task); });
}

// -- the rest on the alarms' thread

void push_desk::look_at(const std::string& task) {
  for (const auto& each : book_.of(task))
    if (!under_way_.contains(each.number))
      look(task, each.number);
}

void push_desk::look_later(const std::string& task, std::uint64_t number,
                           milliseconds pause) {
  alarms_.at(alarms::clock::now() + pause,
             [this, task, number] { look(task, number); });
}

/// Makes the next call, or rests until the task changes.
void push_desk::look(const std::string& task, std::uint64_t number) {
  const auto to = book_.find(task, number);
  const auto now = to && host_ != nullptr && check(to->url) ? tasks_->find(task)
                                                            : std::nullopt;
  const auto updates = now ? tasks_->updates_after(task, to->delivered)
                           : std::vector<task_status>{};
  if (updates.empty()) {
    under_way_.erase(number);
    return;
  }
  under_way_.try_emplace(number, 0);
  const auto& next = updates.front();
  if (!is_over(next.state))
    call(task, number, {{"statusUpdate", status_update(*now, next)}},
         next.place);
  else if (can_be_shown(host_->events()->sessions(), *now))
    show_end(*now, number);
  else
    look_later(task, number, until_shown);
}

/// Sends the whole task with its artifacts, which another thread reads.
void push_desk::show_end(const task_view& of, std::uint64_t number) {
  const auto taken = host_->look(of.id, [weak = weak_from_this(), of,
                                         number](const result<void>& done,
                                                 const session_view* view) {
    const auto self = weak.lock();
    if (!self)
      return;
    json::object what{
      {"task", to_json(of, done ? artifacts_of(*view, of.origin.output)
                                : json::array{})}};
    self->soon([desk = self.get(), of, number, what = std::move(what)] {
      desk->call(of.id, number, what, of.place);
    });
  });
  if (!taken)
    look_later(of.id, number, until_room);
}

void push_desk::call(const std::string& task, std::uint64_t number,
                     const json::object& what, std::size_t place) {
  const auto to = book_.find(task, number);
  if (!to)
    return end(task, number);
  // The key is the same in all calls of an update.
  caller_.start(request_to(*to, what, update_id(task, place)),
                [this, task, number, place](host::http_answer got) {
                  soon([this, task, number, place, got = std::move(got)] {
                    answered(task, number, place, got);
                  });
                });
}

void push_desk::answered(const std::string& task, std::uint64_t number,
                         std::size_t place, const host::http_answer& what) {
  if (what.error.code == "client_stopped")
    return;
  const auto to = book_.find(task, number);
  if (!to)
    return end(task, number);
  auto& attempts = under_way_[number];
  // What the answer says does not count, so it may be long.
  if (what.is_ok() || what.error.code == "answer_bytes_max") {
    attempts = 0;
    book_.delivered(task, number, place);
    const auto now = tasks_->find(task);
    if (!now || (is_over(now->status.state) && place >= now->place))
      return end(task, number);
    save(task);
    return look(task, number);
  }
  const auto where = named_by_host(to->url);
  if (!is_worth_another(what) || attempts == how_.pauses.size()) {
    spdlog::error("task {}: push notifications to {} failed, and are not sent "
                  "any more: {}",
                  task, where, reason_of(what));
    return end(task, number);
  }
  spdlog::warn("task {}: a push notification to {} failed, and will be sent "
               "again: {}",
               task, where, reason_of(what));
  look_later(task, number,
             std::max(how_.pauses[attempts++],
                      milliseconds{what.error.retry_after_ms}));
}

/// Removes a config, if it is there.
void push_desk::end(const std::string& task, std::uint64_t number) {
  under_way_.erase(number);
  if (!book_.find(task, number))
    return;
  book_.remove(task, [&](const auto& each) { return each.number == number; });
  save(task);
}

void push_desk::save(const std::string& task) {
  if (const auto kept = book_.save(task); !kept)
    spdlog::error("task {}: {}", task, to_string(kept.error()));
}

} // namespace convene::server
