// Servers that register in a cluster, and the command that lists them.

#include <catch2/catch.hpp>
#include <cli/program.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/cluster/cluster_member.hpp>
#include <support/postgres/postgres_server.hpp>

#include <chrono>
#include <thread>

using namespace convene::tests;
using namespace convene::host;
using Catch::Contains;
namespace json = boost::json;

namespace {

std::string cluster_url() {
  return postgres_server::is_installed()
           ? postgres_server::shared().fresh_database()
           : std::string{};
}

/// A server of the program that is a node.
class serving_node {
public:
  serving_node(const std::string& cluster, const std::string& name,
               const std::string& labels = "zone=x")
    : running_{{"serve", "--listen", "127.0.0.1:0", "--data",
                (folder_ / "data").string(), "--cluster", cluster, "--node",
                name, "--labels", labels}} {
    while (!running_.output().ends_with('\n')) {
      if (running_.has_ended())
        FAIL(running_.wait().err);
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
  }

  [[nodiscard]] std::string url() const {
    const auto out = running_.output();
    const auto at = out.find("http://");
    return out.substr(at, out.find('\n') - at);
  }

  [[nodiscard]] finished stopped_by(int number) {
    running_.signal(number);
    return running_.wait();
  }

private:
  scratch_folder folder_;
  program running_;
};

json::array nodes_of(const std::string& cluster) {
  const auto done = run({"nodes", "--cluster", cluster, "--json"});
  INFO(done.err);
  REQUIRE(done.code == 0);
  return convene::protocol::parse_json(done.out)
    ->as_object()
    .at("nodes")
    .as_array();
}

} // namespace

TEST_CASE("a server with a cluster is listed until it stops") {
  const auto cluster = cluster_url();
  if (cluster.empty())
    return;
  serving_node a{cluster, "a", "gpu=yes,zone=x"};
  serving_node b{cluster, "b"};
  while (nodes_of(cluster).at(0).at("address").as_string() != a.url()
         || nodes_of(cluster).at(1).at("address").as_string() != b.url())
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  const auto all = nodes_of(cluster);
  REQUIRE(all.size() == 2);
  CHECK(all[0].at("name") == "a");
  CHECK(all[0].at("lease") == "valid");
  CHECK(all[0].at("labels") == json::value{{"gpu", "yes"}, {"zone", "x"}});
  CHECK(all[0].at("sessions") == 0);
  CHECK(all[0].at("version") == all[1].at("version"));
  CHECK(a.stopped_by(SIGTERM).code == 0);
  const auto text = run({"nodes", "--cluster", cluster});
  CHECK_THAT(text.out, Contains("lapsed") && Contains("gpu=yes,zone=x")
                         && Contains(b.url()));
  CHECK(nodes_of(cluster).at(1).at("name") == "a");
  CHECK(nodes_of(cluster).at(1).at("lease") == "lapsed");
}

TEST_CASE("a signal ends a server that waits for its node's name") {
  const auto cluster = cluster_url();
  if (cluster.empty())
    return;
  const auto number = GENERATE(SIGINT, SIGTERM);
  const serving_node first{cluster, "a"};
  const scratch_folder folder;
  const auto notes = (folder / "notes").string();
  program second{{"exec \"$0\" \"$@\" 2>'" + notes + "'", CONVENE_PROGRAM,
                  "serve", "--listen", "127.0.0.1:0", "--data",
                  (folder / "data").string(), "--cluster", cluster, "--node",
                  "a"},
                 {},
                 {"/bin/bash", "-c"}};
  while (!std::filesystem::exists(notes)
         || read_bytes(notes).find("waiting for that") == std::string::npos) {
    REQUIRE_FALSE(second.has_ended());
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  second.signal(number);
  CHECK(second.wait().code == 128 + number);
  CHECK_THAT(read_bytes(notes), !Contains("already"));
}

TEST_CASE("a server refuses a cluster of another version, and names the node") {
  const auto cluster = cluster_url();
  if (cluster.empty())
    return;
  const auto other = cluster_member::join(
    {.url = cluster},
    {.name = "old", .version = "0.0.1", .address = {}, .labels = {}});
  REQUIRE(other);
  scratch_folder folder;
  const auto done
    = run({"serve", "--listen", "127.0.0.1:0", "--data",
           (folder / "data").string(), "--cluster", cluster, "--node", "new"});
  CHECK(done.code == 2);
  CHECK_THAT(done.err, Contains("\"old\"") && Contains("0.0.1"));
  CHECK(!std::filesystem::exists(folder / "data"));
}

TEST_CASE("a node that was killed starts again once its lease has lapsed") {
  const auto cluster = cluster_url();
  if (cluster.empty())
    return;
  const auto boot_id = [&] {
    serving_node a{cluster, "a"};
    const auto id = nodes_of(cluster).at(0).at("boot_id").as_string();
    CHECK(a.stopped_by(SIGKILL).code == 128 + SIGKILL);
    return std::string{id};
  }();
  CHECK(nodes_of(cluster).at(0).at("lease") == "valid");
  auto in = postgres_connection::open({.url = cluster});
  REQUIRE(in);
  REQUIRE(in->query("UPDATE convene_cluster.nodes SET lease_until = "
                    "clock_timestamp() + interval '1 s'"));
  serving_node again{cluster, "a"};
  CHECK(nodes_of(cluster).at(0).at("boot_id").as_string() != boot_id);
  CHECK(nodes_of(cluster).at(1).at("boot_id").as_string() == boot_id);
}

TEST_CASE(
  "a cluster that is not there, or not reached, is an error that says so") {
  const auto word = run({"nodes", "--cluster", "mysql://u:secret@h/db"});
  CHECK(word.code == 2);
  CHECK_THAT(word.err, !Contains("secret"));
  const auto away
    = run({"nodes", "--cluster", "postgres://u:secret@/db?host=/nonexistent"});
  CHECK(away.code == 3);
  CHECK_THAT(away.err, !Contains("secret") && Contains("/nonexistent"));
  const auto alone = run({"serve", "--data", "d", "--node", "a"});
  CHECK(alone.code == 2);
  CHECK_THAT(alone.err, Contains("--cluster"));
  const auto cluster = cluster_url();
  if (cluster.empty())
    return;
  const auto none = run({"nodes", "--cluster", cluster});
  CHECK(none.code == 2);
  CHECK_THAT(none.err, Contains("has no cluster"));
}
