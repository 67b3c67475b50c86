// How long after a lease lapses its sessions have other owners.

#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/data/cluster/cluster_database.hpp>
#include <convene/runtime/data/cluster/cluster_member.hpp>
#include <convene/runtime/data/cluster/membership_keeper.hpp>
#include <convene/runtime/data/cluster/session_owners.hpp>
#include <convene/runtime/data/cluster/shared_sessions.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace convene;
using clock_type = std::chrono::steady_clock;

constexpr std::chrono::seconds lease{3};

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(2);
}

template <class T>
T needed(protocol::result<T> what) {
  if (!what)
    give_up(protocol::to_string(what.error()));
  return *std::move(what);
}

host::cluster_member join(const std::string& url, const std::string& name) {
  return needed(host::cluster_member::join(
    {.url = url}, {.name = name, .version = "1", .address = {}, .labels = {}},
    lease));
}

/// A node that is up.
struct survivor {
  std::shared_ptr<host::shared_sessions> sessions;
  std::unique_ptr<host::membership_keeper> keeper;

  survivor(const std::string& url, const std::string& name) {
    auto member = join(url, name);
    sessions = needed(
      host::shared_sessions::open({.url = url}, member.boot_id(), lease));
    sessions->begin(
      {.runs = [](const auto&) { return false; },
       .flush = [] { return protocol::result<void>{}; },
       .continues = [](const auto&) { return protocol::result<bool>{true}; },
       .lost = [](const auto&) {},
       .report =
         [](std::string_view what) {
           std::fprintf(stderr, "%.*s\n", static_cast<int>(what.size()),
                        what.data());
         }});
    keeper = std::make_unique<host::membership_keeper>(
      std::move(member), [] { return host::node_state{}; },
      [](std::string_view) {}, [](const auto&, const auto&) {});
  }
};

/// Sessions of a node, each with an event.
void fill(host::postgres_connection& in, const std::string& boot_id,
          std::size_t count) {
  auto ids = protocol::uuid_source::from_entropy();
  std::vector<std::string> made;
  for (std::size_t i = 0; i < count; ++i)
    made.push_back(to_string(ids.next()));
  const std::vector<std::string_view> names{made.begin(), made.end()};
  if (needed(host::claim_sessions(in, boot_id, names)).size() != count)
    give_up("the sessions cannot be claimed");
  needed(in.query("INSERT INTO convene_cluster.events "
                  "(session_id, place, epoch, line) "
                  "SELECT id, 1, 1, '{}' FROM unnest($1::uuid[]) AS t (id)",
                  {names}));
}

double taken_after(host::postgres_connection& in, const std::string& boot_id) {
  clock_type::time_point lapsed;
  for (bool has_lapsed = false;;) {
    const auto now = needed(
      in.query("SELECT count(*), (SELECT (extract(epoch FROM lease_until - "
               "clock_timestamp()) * 1000000)::int8 FROM convene_cluster.nodes "
               "WHERE boot_id = $1::uuid) FROM convene_cluster.owners "
               "WHERE boot_id = $1::uuid",
               {boot_id}));
    if (!std::exchange(has_lapsed, true))
      lapsed = clock_type::now() + std::chrono::microseconds{now.number(0, 1)};
    if (now.number(0, 0) == 0)
      return std::chrono::duration<double>(clock_type::now() - lapsed).count();
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2)
    give_up("usage: cluster_takeover URL [SESSIONS [PASSES [NODES]]]");
  const std::string url = argv[1];
  const std::size_t sessions = argc > 2 ? std::stoul(argv[2]) : 1'000;
  const std::size_t passes = argc > 3 ? std::stoul(argv[3]) : 5;
  const std::size_t nodes = argc > 4 ? std::stoul(argv[4]) : 2;
  std::vector<std::unique_ptr<survivor>> up;
  for (std::size_t i = 0; i < nodes; ++i)
    up.push_back(std::make_unique<survivor>(url, "up" + std::to_string(i)));
  auto in = needed(host::postgres_connection::open({.url = url}));
  std::vector<double> times;
  for (std::size_t i = 0; i < passes; ++i) {
    const auto lost = join(url, "lost" + std::to_string(i));
    fill(in, lost.boot_id(), sessions);
    times.push_back(taken_after(in, lost.boot_id()));
    std::printf("%zu sessions of a node have other owners %.2f s after its "
                "lease lapsed\n",
                sessions, times.back());
  }
  std::ranges::sort(times);
  std::printf("median %.2f s, longest %.2f s\n", times[times.size() / 2],
              times.back());
  for (const auto& one : up) // before the database goes
    one->sessions->end();
  return 0;
}
