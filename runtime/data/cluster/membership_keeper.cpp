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
/// What a database gets, at the end, to answer.
constexpr std::chrono::milliseconds farewell{1'000};

} // namespace

membership_keeper::membership_keeper(
  cluster_member member, std::function<node_state()> state,
  std::function<void(std::string_view)> report, renewal renewed)
  : member_{std::move(member)}, state_{std::move(state)},
    report_{std::move(report)}, renewed_{std::move(renewed)} {
  member_.interrupt_by(hurry_.get_token());
  thread_ = std::jthread{[this](const std::stop_token& stop) {
    run(stop);
    static_cast<void>(member_.leave()); // else its lease lapses
    ended_.set_value();
  }};
}

membership_keeper::~membership_keeper() {
  thread_.request_stop();
  if (ended_.get_future().wait_for(farewell) != std::future_status::ready)
    hurry_.request_stop();
  thread_.join();
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
  std::string reported; // why it fails
  while (!stop.stop_requested()) {
    const auto done = renew();
    const auto why = done ? "" : done.error().rule + " " + done.error().value;
    if (!done && why != reported)
      report_("the lease of node \"" + member_.description().name
              + "\" could not be renewed, and is tried again: "
              + to_string(done.error()));
    if (done && !reported.empty())
      report_("the lease of node \"" + member_.description().name
              + "\" was renewed");
    reported = why;
    if (renewed_)
      renewed_(member_.boot_id(),
               done ? std::nullopt : std::optional{done.error()});
    stopped.wait_for(lock, stop, done ? pause : std::min(pause, retry_pause),
                     [] { return false; });
  }
}

} // namespace convene::host
