#include <convene/runtime/data/cluster/cluster_error.hpp>
#include <convene/runtime/data/cluster/membership_keeper.hpp>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

constexpr std::chrono::milliseconds retry_pause{1'000};
constexpr int renewals_per_lease = 3;

} // namespace

membership_keeper::membership_keeper(
  cluster_member member, std::function<node_state()> state,
  std::function<void(std::string_view)> report, renewal renewed)
  : member_{std::move(member)}, state_{std::move(state)}, report_{std::move(
                                                            report)},
    renewed_{std::move(renewed)}, thread_{[this](const std::stop_token& stop) {
      run(stop);
    }} {}

membership_keeper::~membership_keeper() {
  thread_.request_stop();
  thread_.join();
  static_cast<void>(member_.leave()); // else its lease lapses
}

result<void> membership_keeper::renew() {
  auto done = member_.renew(state_());
  if (done || done.error().rule != cluster_rule::lapsed)
    return done;
  return member_.join_again().and_then([&] {
    report_("the lease of node \"" + member_.description().name
            + "\" had lapsed; it has joined the cluster again");
    return member_.renew(state_());
  });
}

void membership_keeper::run(const std::stop_token& stop) {
  std::mutex mutex;
  std::unique_lock lock{mutex};
  std::condition_variable_any stopped;
  const auto pause = member_.lease() / renewals_per_lease;
  bool is_failing = false;
  while (!stop.stop_requested()) {
    const auto done = renew();
    if (!done && !is_failing)
      report_("the lease of node \"" + member_.description().name
              + "\" could not be renewed, and is tried again: "
              + to_string(done.error()));
    if (done && is_failing)
      report_("the lease of node \"" + member_.description().name
              + "\" was renewed");
    is_failing = !done;
    if (renewed_)
      renewed_(member_.boot_id(),
               done ? std::nullopt : std::optional{done.error()});
    stopped.wait_for(lock, stop, done ? pause : std::min(pause, retry_pause),
                     [] { return false; });
  }
}

} // namespace convene::host
