// What clusters of 10, 100 and 1,000 nodes do: where sessions begin, by the
// server's own rendezvous hashing; who takes those of lost nodes, and when; and
// what all that asks of one PostgreSQL server. Simulated: the same seed gives
// the same tables.
//
//     cluster_model [SEED [SESSIONS_PER_NODE [APPENDS_MAX]]]
//
// APPENDS_MAX: events that one PostgreSQL server takes in a second, as
// bench/cluster_appends measures it.

#include <convene/runtime/data/cluster/session_owners.hpp>
#include <convene/server/peers/rendezvous.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <queue>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

// As docs/cluster.md has them.
constexpr double lease_seconds = 30;
constexpr double renewal_pause = lease_seconds / 3;
constexpr double look_pause = lease_seconds / 3;
// As runtime/data/cluster/shared_sessions.cpp has them.
constexpr double after_lapse = 0.01;
constexpr double share_pause = 0.05;
constexpr int shares_max = 8;
constexpr int connections_per_node = 5;

// Assumed, close to measured ones: docs/scale.md. In seconds.
constexpr double timers_differ = 0.005;         // between nodes that look
constexpr double taking_statement = 0.001;      // that takes a share,
constexpr double taking_session = 0.000'06;     // and of each session in it
constexpr std::size_t statements_at_a_time = 2; // in PostgreSQL, on two cores
constexpr double resuming = 0.001;              // of a session

constexpr double events_per_session = 1; // in a second: a busy model's turns
constexpr int tries = 21;

using dice = std::mt19937_64;

// Not std::uniform_real_distribution, which differs between libraries.
double below(dice& rng, double bound) {
  constexpr int bits = 53;
  return static_cast<double>(rng() >> (64 - bits))
         / static_cast<double>(std::uint64_t{1} << bits) * bound;
}

std::vector<std::string> names_of(std::size_t nodes) {
  std::vector<std::string> made;
  for (std::size_t i = 0; i < nodes; ++i)
    made.push_back("node-" + std::to_string(i));
  return made;
}

std::vector<std::size_t> place(const std::vector<std::string>& keys,
                               const std::vector<std::string>& names) {
  std::vector<std::size_t> made;
  made.reserve(keys.size());
  for (const auto& key : keys)
    made.push_back(*convene::server::pick_node(key, names));
  return made;
}

std::vector<std::size_t> counts_of(const std::vector<std::size_t>& at,
                                   std::size_t nodes) {
  std::vector<std::size_t> made(nodes);
  for (const auto node : at)
    ++made[node];
  return made;
}

/// Of keys, those that another node gets once the last node is gone: first
/// those that it had, then the others.
std::pair<std::size_t, std::size_t>
moved_by_leave(const std::vector<std::string>& keys,
               const std::vector<std::size_t>& before,
               std::vector<std::string> names) {
  names.pop_back();
  const auto after = place(keys, names);
  std::pair<std::size_t, std::size_t> moved;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (before[i] == names.size())
      ++moved.first;
    else if (before[i] != after[i])
      ++moved.second;
  return moved;
}

struct take_over {
  double owned = 0;     ///< when the last one has a new owner, after the lapse
  double resumed = 0;   ///< when the last one continues
  std::size_t most = 0; ///< taken by one node
};

/// What PostgreSQL has of the lost sessions.
class database {
public:
  explicit database(std::size_t lost) : free_{lost} {}

  struct share {
    std::size_t sessions = 0;
    double end = 0;
  };
  /// The statement of `take_sessions`: it counts those that others are about to
  /// take, and skips them.
  share take(double now, std::size_t nodes) {
    auto& mine = *std::ranges::min_element(running_, {}, &share::end);
    const auto begin = std::max(now, mine.end);
    auto counted = free_;
    for (const auto& other : running_)
      if (other.end > begin)
        counted += other.sessions;
    using convene::host::share_min;
    using convene::host::take_over_max;
    const auto limit = std::min(take_over_max,
                                std::max(share_min, counted / nodes + 1));
    const auto sessions = std::min(free_, limit);
    free_ -= sessions;
    mine = {sessions, begin + taking_statement
                        + static_cast<double>(sessions) * taking_session};
    return mine;
  }

  [[nodiscard]] bool has_more() const {
    return free_ > 0;
  }

private:
  std::size_t free_;
  std::array<share, statements_at_a_time> running_{};
};

/// Each survivor looks when the lease lapses, takes shares until there is no
/// more, eight at most, and continues these sessions before it looks again.
take_over simulate(std::size_t lost, std::size_t survivors, dice& rng) {
  struct look {
    double at = 0;
    std::size_t node = 0;
    int shares = 0;
    std::size_t found = 0;
    bool operator>(const look& other) const {
      return at > other.at;
    }
  };
  std::priority_queue<look, std::vector<look>, std::greater<>> looks;
  for (std::size_t i = 0; i < survivors; ++i)
    looks.push({.at = after_lapse + below(rng, timers_differ), .node = i});
  database in{lost};
  std::vector<std::size_t> taken(survivors);
  take_over made;
  while (!looks.empty()) {
    auto now = looks.top();
    looks.pop();
    const auto [found, end] = in.take(now.at, survivors);
    now.at = end;
    now.found += found;
    taken[now.node] += found;
    if (found > 0)
      made.owned = std::max(made.owned, end);
    if (found > 0 && ++now.shares < shares_max) {
      now.at += share_pause;
      looks.push(now);
      continue;
    }
    now.at += static_cast<double>(now.found) * resuming;
    if (now.found > 0)
      made.resumed = std::max(made.resumed, now.at);
    if (in.has_more())
      looks.push({.at = now.at + (found > 0 ? share_pause : look_pause),
                  .node = now.node});
  }
  made.most = std::ranges::max(taken);
  return made;
}

void print_losses(const std::vector<std::size_t>& on, std::size_t lost,
                  dice& rng) {
  const auto sessions = std::accumulate(
    on.begin(), on.begin() + static_cast<std::ptrdiff_t>(lost), std::size_t{0});
  std::vector<double> owned;
  std::vector<double> resumed;
  std::size_t most = 0;
  for (int i = 0; i < tries; ++i) {
    const auto one = simulate(sessions, on.size() - lost, rng);
    owned.push_back(one.owned);
    resumed.push_back(one.resumed);
    most = std::max(most, one.most);
  }
  std::ranges::sort(owned);
  std::ranges::sort(resumed);
  std::printf("| %zu | %zu | %zu | %.2f s, %.2f s | %.1f s, %.1f s | %zu |\n",
              on.size(), lost, sessions, owned[tries / 2], owned.back(),
              resumed[tries / 2], resumed.back(), most);
}

} // namespace

int main(int argc, char** argv) {
  const auto number = [&](int at, std::uint64_t otherwise) {
    return argc > at ? std::strtoull(argv[at], nullptr, 10) : otherwise;
  };
  const auto seed = number(1, 1);
  const auto per_node = number(2, 100);
  const auto appends_max = static_cast<double>(number(3, 52'000));
  constexpr std::uint64_t per_node_max = 10'000;
  if (argc > 4 || per_node < 1 || per_node > per_node_max || appends_max < 1) {
    std::fprintf(stderr, "usage: cluster_model [SEED [SESSIONS_PER_NODE, 1 to "
                         "10000 [APPENDS_MAX]]]\n");
    return 2;
  }
  dice rng{seed};
  std::vector<std::vector<std::size_t>> all;
  std::printf(
    "seed %llu\n\n| nodes | sessions | fewest, most on a node | moved "
    "when one leaves, and without need | renewals and looks/s | "
    "connections | appends/s | of one PostgreSQL |\n"
    "|---|---|---|---|---|---|---|---|\n",
    static_cast<unsigned long long>(seed));
  for (const std::size_t nodes : {10U, 100U, 1'000U}) {
    const auto names = names_of(nodes);
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < nodes * per_node; ++i)
      keys.push_back(std::to_string(rng()));
    const auto at = place(keys, names);
    all.push_back(counts_of(at, nodes));
    const auto [least, most] = std::ranges::minmax(all.back());
    const auto [moved, needless] = moved_by_leave(keys, at, names);
    const auto appends = static_cast<double>(keys.size()) * events_per_session;
    std::printf(
      "| %zu | %zu | %zu, %zu | %zu, %zu | %.0f | %zu | %.0f | "
      "%.0f%% |\n",
      nodes, keys.size(), least, most, moved, needless,
      static_cast<double>(nodes) * (1 / renewal_pause + 1 / look_pause),
      nodes * connections_per_node, appends, appends / appends_max * 100);
  }
  std::printf("\n| nodes | lost at once | sessions of these | owned: median, "
              "longest of %d | resumed | most taken by one node |\n"
              "|---|---|---|---|---|---|\n",
              tries);
  constexpr std::size_t thousand = 1'000;
  for (const std::size_t survivors : {1U, 2U}) { // bench/cluster_takeover
    std::vector<std::size_t> on(survivors + 1);
    for (const std::size_t sessions : {thousand, 5 * thousand}) {
      on.front() = sessions;
      print_losses(on, 1, rng);
    }
  }
  for (const auto& on : all) {
    print_losses(on, 1, rng);
    if (const auto tenth = on.size() / 10; tenth > 1)
      print_losses(on, tenth, rng);
  }
  return 0;
}
