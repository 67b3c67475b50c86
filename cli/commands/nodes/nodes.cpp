#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/runtime/data/cluster/cluster_database.hpp>
#include <convene/runtime/data/cluster/cluster_member.hpp>
#include <convene/runtime/data/postgres/postgres_url.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct nodes_arguments {
  std::string cluster;
};

void add_options(const command_line& command, nodes_arguments& arguments) {
  command.add("--cluster", arguments.cluster).required();
}

json::object node_json(const host::cluster_node& one) {
  json::object labels;
  for (const auto& [name, value] : one.is.labels)
    labels[name] = value;
  return {{"name", one.is.name},
          {"address", one.is.address},
          {"peer_address", one.is.peer_address},
          {"version", one.is.version},
          {"labels", std::move(labels)},
          {"lease", one.lease.count() > 0 ? "valid" : "lapsed"},
          {"lease_ms", one.lease.count()},
          {"sessions", one.sessions},
          {"started_at", format_timestamp(one.started_ms)},
          {"boot_id", one.boot_id},
          {"schemas", one.schemas}};
}

std::string lease_text(const host::cluster_node& one) {
  constexpr std::int64_t second = 1'000;
  const auto ms = one.lease.count();
  return ms > 0 ? fmt::format("lease {} s", (ms + second - 1) / second)
                : fmt::format("lapsed {} s ago", -ms / second);
}

void print_table(const std::vector<host::cluster_node>& all) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> widths;
  for (const auto& one : all) {
    std::string labels;
    for (const auto& [name, value] : one.is.labels)
      labels.append(labels.empty() ? "" : ",").append(name + "=" + value);
    auto& row = rows.emplace_back();
    row = {one.is.name,
           one.is.address,
           "convene " + one.is.version,
           lease_text(one),
           plural(static_cast<std::uint64_t>(one.sessions), "session"),
           labels};
    widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], width(row[i]));
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += column(row[i], widths[i]) + "  ";
    print_line(line.substr(0, line.find_last_not_of(' ') + 1));
  }
}

result<int> show_nodes(const nodes_arguments& arguments,
                       const common_options& common) {
  const auto shown = host::shown_postgres_url(arguments.cluster);
  if (!shown)
    return fail(shown.error());
  auto database = host::cluster_database::open({.url = arguments.cluster},
                                               false);
  if (!database)
    return fail(std::move(database).error());
  const auto in = database->connection();
  if (!in)
    return fail(in.error());
  const auto all = host::list_nodes(**in);
  if (!all)
    return fail(all.error());
  if (!common.json) {
    print_table(*all);
    if (all->empty())
      print_note(*shown + ": no node has registered within a day");
    return exit_good;
  }
  json::array nodes;
  for (const auto& one : *all)
    nodes.push_back(node_json(one));
  print_json(json::object{{"cluster", *shown}, {"nodes", std::move(nodes)}});
  return exit_good;
}

} // namespace

void add_nodes(const command_line& program) {
  program.add<nodes_arguments>("nodes", show_nodes, add_options);
}

} // namespace convene::cli
