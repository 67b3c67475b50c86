// What clusters of 10, 100 and 1,000 nodes do: where sessions begin, by the
// server's own rendezvous hashing; who takes those of lost nodes, and when; and
// what all that asks of one PostgreSQL server. Simulated: the same seed gives
// the same tables.
//
//     cluster_model [SEED [SESSIONS_PER_NODE [APPENDS_MAX]]]
//
// APPENDS_MAX: events that one PostgreSQL server takes in a second, as
// bench/cluster_appends measures it.

#include <convene/server/peers/rendezvous.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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
constexpr std::size_t batch = 100;
constexpr double share_pause = 0.3;
constexpr int connections_per_node = 5;

// Measured: docs/scale.md has the commands.
constexpr double taking_statement = 0.003; // of a batch, seconds
constexpr double resuming = 0.002;         // of a session, seconds

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

/// Survivors look when it is their time, and take what they find in batches.
take_over simulate(std::size_t left, std::size_t survivors, dice& rng) {
  using look = std::pair<double, std::size_t>;
  std::priority_queue<look, std::vector<look>, std::greater<>> looks;
  for (std::size_t i = 0; i < survivors; ++i)
    looks.emplace(below(rng, look_pause), i);
  std::vector<std::size_t> taken(survivors);
  take_over made;
  while (left > 0) {
    const auto [now, node] = looks.top();
    looks.pop();
    const auto found = std::min(left, batch);
    left -= found;
    taken[node] += found;
    made.owned = now + taking_statement;
    const auto done = made.owned + static_cast<double>(found) * resuming;
    made.resumed = std::max(made.resumed, done);
    looks.emplace(done + (found == batch ? share_pause : look_pause), node);
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
  std::printf("| %zu | %zu | %zu | %.1f s, %.1f s | %.1f s, %.1f s | %zu |\n",
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
  print_losses({thousand, 0}, 1, rng); // bench/cluster_sessions does it
  for (const auto& on : all) {
    print_losses(on, 1, rng);
    if (const auto tenth = on.size() / 10; tenth > 1)
      print_losses(on, tenth, rng);
  }
  return 0;
}
