#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <convene/protocol/base/words.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/run_callbacks/run_callbacks.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace convene::server {
namespace {

using protocol::errc;
using protocol::result;
using std::chrono::milliseconds;

constexpr std::chrono::hours called_for{24};

std::string event_id_of(const std::string& event) {
  const auto parsed = protocol::parse_json(event);
  const auto* const members = parsed ? parsed->if_object() : nullptr;
  return std::string{members ? protocol::text_of(*members, "eventId") : ""};
}

std::string in_json(std::string_view text) {
  return boost::json::serialize(boost::json::string{text});
}

} // namespace

result<std::shared_ptr<run_callbacks>>
run_callbacks::open(run_callback_options how) {
  auto folder = private_folder::open(how.folder);
  if (!folder)
    return protocol::fail(std::move(folder).error());
  return std::shared_ptr<run_callbacks>{
    new run_callbacks{std::move(how), callback_files{*std::move(folder)}}};
}

run_callbacks::run_callbacks(run_callback_options how, callback_files files)
  : how_{std::move(how)}, files_{std::move(files)}, caller_{how_.allow,
                                                            how_.secret} {
  for (auto& [run, url] : files_.load())
    owed_.emplace(run, owed{.url = url});
  if (!caller_.reaches_any() && !owed_.empty())
    spdlog::warn("{} calls that report the end of runs are due, but this "
                 "server may reach no host: start it with --allow net=HOST",
                 owed_.size());
}

run_callbacks::~run_callbacks() {
  stop();
}

void run_callbacks::stop() {
  alarms_.stop();
  caller_.stop();
  const std::lock_guard held{mutex_};
  runs_ = nullptr;
}

void run_callbacks::expect(const protocol::uuid& run, std::string url,
                           std::function<void(result<void>)> then) {
  const bool has_room = [&] {
    const std::lock_guard held{mutex_};
    return owed_.size() < callbacks_max && owed_.emplace(run, owed{url}).second;
  }();
  if (!has_room)
    return then(protocol::fail(
      errc::limit_reached,
      "the server waits for the end of as many runs as it can; try again once "
      "some have ended",
      "callbacks_max"));
  alarms_.at(alarms::clock::now(),
             [this, run, url = std::move(url), then = std::move(then)] {
               auto kept = files_.put(run, url);
               if (!kept)
                 settle(run);
               then(std::move(kept));
             });
}

void run_callbacks::forget(const protocol::uuid& run) {
  alarms_.at(alarms::clock::now(), [this, run] { settle(run); });
}

/// On the alarms' thread, or before it has anything to do: nothing is owed any
/// more, which counts `as` that.
void run_callbacks::settle(const protocol::uuid& run,
                           std::uint64_t callback_counts::*as) {
  files_.remove(run);
  const std::lock_guard held{mutex_};
  if (as != nullptr)
    ++(counts_.*as);
  owed_.erase(run);
}

void run_callbacks::ended(const protocol::uuid& run) {
  const std::lock_guard held{mutex_};
  const auto found = owed_.find(run);
  if (found == owed_.end() || runs_ == nullptr
      || std::exchange(found->second.is_called, true))
    return;
  alarms_.at(alarms::clock::now(), [this, run] { call(run); });
}

void run_callbacks::begin(run_host& runs) {
  std::vector<protocol::uuid> owed_to;
  {
    const std::lock_guard held{mutex_};
    runs_ = &runs;
    for (const auto& [run, what] : owed_)
      owed_to.push_back(run);
  }
  for (const auto& run : owed_to)
    if (runs.catalog().has_ended(run))
      ended(run);
    else if (runs.find(to_string(run)) == nullptr)
      settle(run); // it was killed before the run began, which can begin now
}

callback_counts run_callbacks::counts() const {
  const std::lock_guard held{mutex_};
  auto made = counts_;
  made.owed = owed_.size();
  return made;
}

// -- calls, all on the alarms' thread

void run_callbacks::call(const protocol::uuid& run) {
  std::string url;
  run_host* runs = nullptr;
  {
    const std::lock_guard held{mutex_};
    const auto found = owed_.find(run);
    if (found == owed_.end() || runs_ == nullptr)
      return;
    url = found->second.url;
    runs = runs_;
    ++found->second.attempts;
  }
  const auto row = runs->catalog().find(run);
  if (!row)
    return;
  if (std::chrono::system_clock::now().time_since_epoch()
      > milliseconds{row->ended_at} + called_for) {
    spdlog::error("run {}: {} was not reached in a day after the run's end, "
                  "and is not called any more",
                  to_string(run), named_by_host(url));
    return settle(run, &callback_counts::given_up);
  }
  if (!check(url))
    return; // this server may not; the next one, perhaps
  const auto of = runs->find(to_string(run));
  const auto events = of && !of->fault() ? of->record->all()
                                         : std::vector<event_text>{};
  if (events.empty()) // it cannot be read now: the next start tries again
    return;
  caller_.start(
    make_call(url, *row, *events.back()), [this, run](host::http_answer what) {
      alarms_.at(alarms::clock::now(),
                 [this, run, what = std::move(what)] { answered(run, what); });
    });
}

host::http_request
run_callbacks::make_call(const std::string& url, const run_row& of,
                         const std::string& last_event) const {
  const auto id = to_string(of.id);
  const auto at = how_.public_url + "/v1/runs/" + id;
  return {.url = url,
          .headers = {{"Content-Type", "application/json"},
                      {"Idempotency-Key", event_id_of(last_event)}},
          .body = R"({"runId":)" + in_json(id) + R"(,"workflowId":)"
                  + in_json(of.workflow_id) + R"(,"status":)"
                  + in_json(protocol::to_word(of.status)) + R"(,"statusUrl":)"
                  + in_json(at) + R"(,"eventsUrl":)" + in_json(at + "/events")
                  + R"(,"event":)" + last_event + "}"};
}

void run_callbacks::answered(const protocol::uuid& run,
                             const host::http_answer& what) {
  // What it says does not count, so it may be long.
  if (what.is_ok() || what.error.code == "answer_bytes_max")
    return settle(run, &callback_counts::delivered);
  if (what.error.code == "client_stopped")
    return;
  std::size_t attempts = 0;
  std::string url;
  {
    const std::lock_guard held{mutex_};
    ++counts_.failed;
    const auto found = owed_.find(run);
    if (found == owed_.end())
      return;
    attempts = found->second.attempts;
    url = found->second.url;
  }
  if (!is_worth_another(what) || attempts > how_.pauses.size()) {
    spdlog::error("run {}: its end cannot be reported to {}, which is not "
                  "called any more: {}",
                  to_string(run), named_by_host(url), reason_of(what));
    return settle(run, &callback_counts::given_up);
  }
  spdlog::warn("run {}: its end cannot be reported to {} yet: {}",
               to_string(run), named_by_host(url), reason_of(what));
  const auto pause = std::max(how_.pauses[attempts - 1],
                              milliseconds{what.error.retry_after_ms});
  alarms_.at(alarms::clock::now() + pause, [this, run] { call(run); });
}

} // namespace convene::server
