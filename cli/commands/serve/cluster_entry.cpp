#include <convene/cli/commands/serve/cluster_entry.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/protocol/base/durability.hpp>
#include <convene/runtime/data/cluster/cluster_error.hpp>
#include <convene/runtime/data/postgres/postgres_url.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace convene::cli {
namespace {

using protocol::errc;
using protocol::fail;

constexpr std::chrono::milliseconds connect_time{5'000};
constexpr std::chrono::milliseconds statement_time{10'000};
/// Also for a last start that had the default.
std::chrono::milliseconds wait_time(std::chrono::milliseconds lease) {
  return std::max(host::lease_default, lease) + std::chrono::seconds{2};
}
constexpr std::chrono::milliseconds pause_time{500};
constexpr int renewals_per_lease = 3;

} // namespace

host::postgres_options database_of(const serve_arguments& arguments) {
  return {.url = arguments.cluster,
          .connect_timeout = connect_time,
          .statement_timeout = statement_time};
}

protocol::result<std::shared_ptr<host::shared_sessions>>
share_sessions(const serve_arguments& arguments,
               const std::optional<host::cluster_member>& member) {
  if (!member)
    return nullptr;
  // Longer than the nodes keep them, so that none is in use.
  const std::chrono::hours days{24 * arguments.keep_days};
  return host::shared_sessions::open(database_of(arguments), member->boot_id(),
                                     member->lease(), days + days / 4);
}

std::jthread hold_lease(host::cluster_member& member) {
  return std::jthread{[&member](const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock held{mutex};
    std::condition_variable_any stopped;
    while (!stopped.wait_for(held, stop, member.lease() / renewals_per_lease,
                             [&] { return stop.stop_requested(); }))
      static_cast<void>(member.renew({})); // its keeper reports failures
  }};
}

protocol::result<std::optional<host::cluster_member>>
join_cluster(const serve_arguments& arguments, const std::stop_token& stop) {
  if (arguments.cluster.empty())
    return std::nullopt;
  if (!host::is_postgres_url(arguments.cluster))
    return fail(errc::usage,
                "--cluster is the URL of a PostgreSQL database, such as "
                "postgres://db.example/convene",
                "cluster");
  if (!arguments.workflows.empty())
    return fail(errc::usage,
                "workflow runs stay on one machine: serve them without "
                "--cluster",
                "cluster_workflows");
  if (arguments.durability == to_word(protocol::durability::none))
    return fail(errc::usage,
                "--durability none: other nodes continue only what is durable; "
                "use group or strict with --cluster",
                "durability");
  auto labels = host::read_labels(arguments.labels);
  if (!labels)
    return fail(std::move(labels).error());
  const host::node_description who{.name = arguments.node,
                                   .version = CONVENE_VERSION,
                                   .address = {},
                                   .labels = *std::move(labels)};
  const std::chrono::seconds lease{arguments.lease};
  const auto until = std::chrono::steady_clock::now() + wait_time(lease);
  bool is_noted = false;
  for (;;) {
    auto database = database_of(arguments);
    database.stop = stop;
    auto joined = host::cluster_member::join(database, who, lease);
    if (joined)
      return std::optional{*std::move(joined)};
    if (joined.error().rule != host::cluster_rule::name_taken
        || std::chrono::steady_clock::now() > until || stop.stop_requested())
      return fail(std::move(joined).error());
    if (!std::exchange(is_noted, true))
      print_note("the cluster has a node \"" + arguments.node
                 + "\" whose lease has not lapsed; waiting for that");
    std::mutex mutex;
    std::unique_lock held{mutex};
    std::condition_variable_any{}.wait_for(held, stop, pause_time,
                                           [] { return false; });
  }
}

} // namespace convene::cli
