#include <convene/runtime/data/cluster/cluster_error.hpp>
#include <convene/runtime/data/cluster/shared_removal.hpp>
#include <convene/runtime/data/cluster/shared_sessions.hpp>
#include <convene/runtime/data/postgres/postgres_error.hpp>

#include <algorithm>
#include <condition_variable>
#include <utility>

namespace convene::host {

using namespace protocol;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr int looks_per_lease = 3;
/// How long it takes to notice a stop, or that a session has ended.
constexpr milliseconds glance{200};
/// After that an append that waits means that the node is not ready.
constexpr milliseconds slow_append{2'000};
/// Between one share and the next, in which other nodes take theirs.
constexpr milliseconds share_pause{50};
/// Shares that are taken before their sessions are continued.
constexpr int shares_max = 8;
/// A lease that is renewed in the last moment is not waited for again.
constexpr milliseconds after_lapse{10};
constexpr milliseconds removal_pause{60'000};
/// Before a session that could not be continued is tried again.
constexpr milliseconds first_retry{1'000};
constexpr milliseconds longest_retry{60'000};
constexpr std::size_t page_lines = 200;

std::string seconds_of(milliseconds time) {
  constexpr int per_second = 1'000;
  return std::to_string(time.count() / per_second) + " s";
}

} // namespace

shared_sessions::shared_sessions(std::shared_ptr<cluster_log> log,
                                 fenced_log events, std::string boot_id,
                                 milliseconds lease, milliseconds keep_time)
  : log_{std::move(log)}, lease_{lease}, keep_time_{keep_time},
    events_{std::move(events)}, joined_as_{boot_id}, boot_id_{
                                                       std::move(boot_id)} {
  events_.database().interrupt_by(log_->stopping());
}

result<std::shared_ptr<shared_sessions>>
shared_sessions::open(const postgres_options& how, std::string boot_id,
                      milliseconds lease, milliseconds keep_time) {
  std::vector<cluster_database> made;
  for (int i = 0; i < 3; ++i) {
    auto opened = cluster_database::open(how, true);
    if (!opened)
      return fail(std::move(opened).error());
    made.push_back(*std::move(opened));
  }
  auto log = std::make_shared<cluster_log>(std::move(made[0]),
                                           std::move(made[1]), boot_id);
  return std::shared_ptr<shared_sessions>{
    new shared_sessions{std::move(log), fenced_log{std::move(made[2])},
                        std::move(boot_id), lease, keep_time}};
}

shared_sessions::~shared_sessions() {
  end();
}

void shared_sessions::begin(calls how) {
  calls_ = std::move(how);
  next_look_ = steady_clock::now();
  thread_ = std::jthread{[this](const std::stop_token& stop) { run(stop); }};
}

void shared_sessions::prepare_end() {
  if (preparing_.joinable())
    return;
  preparing_ = std::jthread{[log = log_](const std::stop_token& stop) {
    const auto until = steady_clock::now() + end_time;
    std::mutex none;
    std::unique_lock lock{none};
    std::condition_variable_any never;
    while (!stop.stop_requested()) {
      never.wait_for(lock, stop, glance, [] { return false; });
      if (steady_clock::now() < until || log->counts().lag < glance)
        continue;
      log->stop_waiting();
      return;
    }
  }};
}

void shared_sessions::end() {
  if (!ending_.joinable())
    ending_ = std::jthread{[log = log_](const std::stop_token& stop) {
      std::mutex none;
      std::unique_lock lock{none};
      std::condition_variable_any never;
      never.wait_for(lock, stop, end_time, [] { return false; });
      if (!stop.stop_requested())
        log->stop_waiting();
    }};
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
}

void shared_sessions::renewed(const std::string& boot_id,
                              const std::optional<error>& failed) {
  const std::lock_guard held{mutex_};
  failed_ = failed;
  if (failed || boot_id == boot_id_)
    return;
  boot_id_ = boot_id;
  log_->join(boot_id);
}

std::string shared_sessions::member_id() const {
  const std::lock_guard held{mutex_};
  return boot_id_;
}

std::string shared_sessions::why_not_ready() const {
  if (const auto lag = log_->counts().lag; lag > slow_append) {
    const auto why = log_->trouble();
    return "events have waited for the cluster's database for "
           + seconds_of(lag) + (why ? ": " + to_string(*why) : std::string{});
  }
  const std::lock_guard held{mutex_};
  return failed_
           ? "this node is not a member of the cluster: " + to_string(*failed_)
           : std::string{};
}

cluster_counts shared_sessions::counts() const {
  auto made = log_->counts();
  made.taken = taken_count_;
  made.removed_sessions = removed_sessions_;
  made.removed_events = removed_events_;
  made.removed_blobs = removed_blobs_;
  return made;
}

void shared_sessions::run(const std::stop_token& stop) {
  std::string told;
  while (!stop.stop_requested()) {
    const auto done = look(stop);
    plan_look(done && takes_more_);
    const auto why = done ? std::string{} : to_string(done.error());
    if (!done && !stop.stop_requested() && why != told)
      calls_.report("sessions of other nodes cannot be taken over now: " + why);
    told = why;
    while (!wait(stop)) {
    }
  }
}

void shared_sessions::plan_look(bool takes_more) {
  const auto now = steady_clock::now();
  next_look_ = now
               + (takes_more ? share_pause
                             : std::max(share_pause, lease_ / looks_per_lease));
  if (lapse_)
    next_look_ = std::min(next_look_, std::max(*lapse_, now + share_pause));
  for (const auto& it : taken_)
    if (it.pause.count() != 0)
      next_look_ = std::min(next_look_,
                            std::max(it.not_before, now + share_pause));
}

/// True: it is time to look, or to stop.
bool shared_sessions::wait(const std::stop_token& stop) {
  bool is_notified = false;
  if (const auto in = events_.database().connection()) {
    const auto left = std::chrono::duration_cast<milliseconds>(
      next_look_ - steady_clock::now());
    const auto found
      = (*in)->wait_notified(std::clamp(left, milliseconds{1}, glance));
    is_notified = found && *found;
    if (found)
      static_cast<void>(mark_ended(**in)); // else it is tried again
  } else {
    std::this_thread::sleep_for(glance);
  }
  return stop.stop_requested() || is_notified
         || steady_clock::now() >= next_look_ || member_id() != joined_as_;
}

result<void> shared_sessions::look(const std::stop_token& stop) {
  lapse_.reset();
  const auto in = events_.database().connection();
  if (!in)
    return fail(in.error());
  static const std::string listen = std::string{"LISTEN "} + handed_over;
  return (*in)
    ->run(listen)
    .and_then([&] { return mark_ended(**in); })
    .and_then([&] { return find_lost(**in); })
    .and_then([&] { return take(**in); })
    .and_then([&] { return plan_lapse(**in); })
    .and_then([&] { return continue_taken(stop); })
    .map([&] { remove_old(**in); });
}

result<void> shared_sessions::plan_lapse(postgres_connection& in) {
  return next_lapse(in, joined_as_)
    .map([this](const std::optional<milliseconds>& left) {
      if (left)
        lapse_ = steady_clock::now() + *left + after_lapse;
    });
}

/// What fails is tried again.
void shared_sessions::remove_old(postgres_connection& in) {
  if (keep_time_.count() == 0 || steady_clock::now() < next_removal_
      || !in.is_open())
    return;
  const auto stream = stream_ ? stream_() : std::string{};
  if (stream_ && stream.empty())
    return;
  const auto done = remove_ended(in, keep_time_, removal_events_max, stream);
  next_removal_ = steady_clock::now()
                  + (done && done->more ? milliseconds{0} : removal_pause);
  if (!done)
    return calls_.report(
      "old sessions cannot be removed from the cluster's database now: "
      + to_string(done.error()));
  takes_more_ |= done->more;
  removed_sessions_ += done->sessions;
  removed_events_ += done->events;
  removed_blobs_ += done->blobs;
}

result<void> shared_sessions::mark_ended(postgres_connection& in) {
  const auto ended = log_->ended();
  if (ended.empty())
    return {};
  return end_sessions(in, ended).map([&] { log_->forget_ended(ended); });
}

/// After a lapsed lease: of its sessions, the node keeps those that no other
/// node has taken.
result<void> shared_sessions::find_lost(postgres_connection& in) {
  auto held = log_->held();
  held.insert(held.end(), taken_.begin(), taken_.end());
  const auto id = member_id();
  if (held.empty()) {
    joined_as_ = id;
    return {};
  }
  if (id != joined_as_)
    if (auto kept = keep_sessions(in, id, held); !kept)
      return kept;
  joined_as_ = id;
  const auto lost = lost_sessions(in, held);
  if (!lost)
    return fail(lost.error());
  std::erase_if(taken_, [&](const owned_session& it) {
    return std::ranges::any_of(*lost, [&](const owned_session& gone) {
      return gone.id == it.id && gone.epoch == it.epoch;
    });
  });
  if (const auto mine = log_->lose(*lost); !mine.empty())
    calls_.lost(mine);
  return {};
}

result<void> shared_sessions::take(postgres_connection& in) {
  const auto add = [this](const std::vector<owned_session>& found) {
    for (const auto& it : found)
      taken_.push_back({{it}});
  };
  takes_more_ = false;
  if (std::exchange(recounts_, true)) {
    auto mine = sessions_of(in, joined_as_);
    if (!mine)
      return fail(std::move(mine).error());
    const auto held = log_->held();
    const auto is_in = [](const auto& all, const owned_session& it) {
      return std::ranges::find(all, it.id, &owned_session::id) != all.end();
    };
    // Those that the node began have epoch 1, and are no surprise.
    std::erase_if(*mine, [&](const owned_session& it) {
      return it.epoch == 1 || is_in(held, it) || is_in(taken_, it);
    });
    add(*mine);
  }
  for (int i = 0; i < shares_max; ++i) {
    const auto found = take_sessions(in, joined_as_, take_over_max, true);
    if (!found)
      return fail(found.error());
    add(*found);
    takes_more_ = !found->empty();
    if (!takes_more_)
      break;
    std::this_thread::sleep_for(share_pause);
  }
  recounts_ = false;
  return {};
}

result<void> shared_sessions::continue_taken(const std::stop_token& stop) {
  const auto now = steady_clock::now();
  const auto first = std::stable_partition(taken_.begin(), taken_.end(),
                                           [&](const pending& it) {
                                             return it.not_before > now
                                                    || calls_.runs(it.id);
                                           });
  if (first == taken_.end())
    return {};
  // What was appended before a session was lost is refused, not passed. Those
  // that had no actor before append nothing after.
  if (auto passed = calls_.flush(); !passed)
    return passed;
  std::vector<pending> ready{first, taken_.end()};
  taken_.erase(first, taken_.end());
  return continue_all(std::move(ready), stop);
}

/// What could not be continued stays taken.
result<void> shared_sessions::continue_all(std::vector<pending> ready,
                                           const std::stop_token& stop) {
  std::optional<error> why;     // the database is away: none can
  std::optional<error> problem; // of one session
  std::string first;
  std::size_t failed = 0;
  for (auto& it : ready) {
    if (!stop.stop_requested() && !why) {
      const auto done = continue_one(it);
      if (done)
        continue;
      if (is_passing(done.error())) {
        why = done.error();
      } else {
        if (it.pause.count() == 0 && failed++ == 0) {
          problem = done.error();
          first = it.id;
        }
        it.pause = std::clamp(2 * it.pause, first_retry, longest_retry);
        it.not_before = steady_clock::now() + it.pause;
      }
    }
    taken_.push_back(std::move(it));
  }
  if (problem && !stop.stop_requested())
    calls_.report(
      "session " + first
      + (failed > 1 ? " and " + std::to_string(failed - 1) + " others" : "")
      + ": taken over, cannot continue yet, and tried again: "
      + to_string(*problem));
  return why ? fail(*std::move(why)) : result<void>{};
}

result<void> shared_sessions::continue_one(const owned_session& it) {
  if (it.length == 0) { // its owner was lost before its first event
    log_->add_ended(it);
    return {};
  }
  const auto done = calls_.continues(reader_of(it));
  if (!done && done.error().rule == session_on_log) {
    log_->add_ended(it);
    return {};
  }
  if (!done)
    return fail(done.error());
  if (*done)
    ++taken_count_;
  return {};
}

session_to_continue shared_sessions::reader_of(const owned_session& it) {
  const auto known = log_->take_over(it);
  return {.id = it.id,
          .known = known.value_or(0),
          .is_new = !known,
          .lines = [this, id = it.id](
                     std::uint64_t n) -> result<std::vector<std::string>> {
            const auto from = static_cast<std::int64_t>(n + 1);
            auto found = events_.read(id, from, page_lines);
            if (!found && found.error().rule == postgres_rule::result_max)
              found = events_.read(id, from, 1);
            if (!found)
              return fail(std::move(found).error());
            std::vector<std::string> lines;
            for (auto& each : *found)
              lines.push_back(std::move(each.line));
            return lines;
          },
          .blob = [this](const std::string& sha256) -> result<std::string> {
            const auto in = events_.database().connection();
            if (!in)
              return fail(in.error());
            const auto found = (*in)->query(
              "SELECT body FROM convene_cluster.blobs WHERE sha256 = $1",
              {sha256});
            if (!found)
              return fail(found.error());
            if (found->empty())
              return fail(errc::unreadable,
                          "the cluster's database has no blob " + sha256,
                          "blob_missing");
            return std::string{found->text(0, 0)};
          }};
}

} // namespace convene::host
