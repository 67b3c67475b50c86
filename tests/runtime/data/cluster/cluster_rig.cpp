#include <runtime/data/cluster/cluster_rig.hpp>

namespace convene::tests {

std::string fresh_cluster() {
  if (!postgres_server::is_installed())
    return {};
  // One database for all: making another takes longer than most tests.
  static const auto url = postgres_server::shared().fresh_database();
  value_of(connect(url).run("SET client_min_messages = warning; "
                            "DROP SCHEMA IF EXISTS convene_cluster CASCADE"));
  return url;
}

} // namespace convene::tests
