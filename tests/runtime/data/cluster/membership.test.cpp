#include <runtime/data/cluster/cluster_rig.hpp>

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

using namespace convene::host;
using namespace convene::tests;
using Catch::Contains;

TEST_CASE("nodes see each other, with addresses, labels and sessions") {
  const auto url = fresh_cluster();
  if (url.empty())
    return;
  const auto a = join(url, "a");
  auto b = value_of(cluster_member::join(
    {.url = url}, {.name = "b",
                   .version = "1",
                   .address = {},
                   .labels = {{"gpu", "yes"}, {"zone", "x"}}}));
  auto in = connect(url);
  value_of(b.renew({.address = "https://b.example", .sessions = 7}));
  const auto all = value_of(list_nodes(in));
  REQUIRE(all.size() == 2);
  CHECK(all[0].is.name == "a");
  CHECK(all[0].sessions == 0);
  CHECK(all[1].boot_id == b.boot_id());
  CHECK(all[1].is.address == "https://b.example");
  CHECK(all[1].is.labels == b.description().labels);
  CHECK(all[1].schemas == embedded_schemas_hash());
  CHECK(all[1].sessions == 7);
  CHECK(all[1].lease.count() > 0);
}

TEST_CASE("a name belongs to one member until its lease has lapsed") {
  const auto url = fresh_cluster();
  if (url.empty())
    return;
  auto first = join(url, "a");
  const auto again = cluster_member::join(
    {.url = url}, {.name = "a", .version = "1", .address = {}, .labels = {}});
  CHECK(rule_of_failure(again) == cluster_rule::name_taken);
  CHECK_THAT(again.error().message, Contains("http://127.0.0.1:1"));
  auto in = connect(url);
  lapse(in, first.boot_id());
  const auto second = join(url, "a");
  CHECK(second.boot_id() != first.boot_id());
  CHECK(rule_of_failure(first.renew({})) == cluster_rule::lapsed);
}

TEST_CASE("a node of another version is refused, and both are named") {
  const auto url = fresh_cluster();
  if (url.empty())
    return;
  auto a = join(url, "a", "1.5");
  const auto b = cluster_member::join(
    {.url = url}, {.name = "b", .version = "2.0", .address = {}, .labels = {}});
  REQUIRE(rule_of_failure(b) == cluster_rule::unlike);
  CHECK_THAT(b.error().message,
             Contains("node \"a\"") && Contains("1.5") && Contains("2.0"));
  value_of(a.leave());
  CHECK(join(url, "b", "2.0").boot_id() != a.boot_id());
}

TEST_CASE(
  "a node whose schemas differ is refused though the version is the same") {
  const auto url = fresh_cluster();
  if (url.empty())
    return;
  const auto a = join(url, "a");
  auto in = connect(url);
  value_of(in.query("UPDATE convene_cluster.nodes SET schemas = 'others'"));
  const auto b = cluster_member::join(
    {.url = url}, {.name = "b", .version = "1", .address = {}, .labels = {}});
  REQUIRE(rule_of_failure(b) == cluster_rule::unlike);
  CHECK_THAT(b.error().message, Contains("other schemas"));
}

TEST_CASE("a renewed lease lasts longer, and one that was left is over") {
  const auto url = fresh_cluster();
  if (url.empty())
    return;
  auto a = join(url, "a");
  auto in = connect(url);
  value_of(in.query("UPDATE convene_cluster.nodes SET lease_until = "
                    "clock_timestamp() + interval '10 s'"));
  value_of(a.renew({}));
  CHECK(value_of(list_nodes(in)).front().lease.count() > 20'000);
  value_of(a.leave());
  CHECK(value_of(list_nodes(in)).front().lease.count() <= 0);
  CHECK(rule_of_failure(a.renew({})) == cluster_rule::lapsed);
}

TEST_CASE("nodes that start at the same time make the tables once") {
  const auto url = fresh_cluster();
  if (url.empty())
    return;
  std::vector<std::string> failures(6);
  {
    std::vector<std::jthread> all;
    for (std::size_t i = 0; i < failures.size(); ++i)
      all.emplace_back([&, i] {
        const auto made = cluster_member::join({.url = url},
                                               {.name = "n" + std::to_string(i),
                                                .version = "1",
                                                .address = {},
                                                .labels = {}});
        failures[i] = made ? "" : to_string(made.error());
      });
  }
  CHECK(failures == std::vector<std::string>(failures.size()));
  auto in = connect(url);
  CHECK(value_of(list_nodes(in)).size() == failures.size());
}

TEST_CASE("a node waits while another one makes the tables") {
  const auto url = fresh_cluster();
  if (url.empty())
    return;
  auto other = connect(url);
  value_of(other.run("BEGIN; SELECT pg_advisory_xact_lock("
                     "hashtext('convene_cluster'))"));
  std::atomic<bool> is_done = false;
  const std::jthread node{[&] {
    static_cast<void>(cluster_database::open({.url = url}, true));
    is_done = true;
  }};
  auto watch = connect(url);
  wait_for_waiters(watch, 1, is_done);
  CHECK(!is_done);
  value_of(other.run("COMMIT"));
}

TEST_CASE("tables of another version are refused, and so are none") {
  const auto url = fresh_cluster();
  if (url.empty())
    return;
  CHECK(rule_of_failure(cluster_database::open({.url = url}, false))
        == cluster_rule::tables);
  value_of(cluster_database::open({.url = url}, true));
  value_of(cluster_database::open({.url = url}, false));
  auto in = connect(url);
  value_of(in.query("UPDATE convene_cluster.about SET tables_version = 99"));
  const auto later = cluster_database::open({.url = url}, true);
  REQUIRE(rule_of_failure(later) == cluster_rule::tables);
  CHECK_THAT(later.error().message, Contains("version 99"));
}

TEST_CASE("names, labels and addresses have a form") {
  const auto refusal = [](node_description of) {
    of.version = "1";
    return rule_of_failure(check_description(of));
  };
  CHECK(refusal({.name = "gpu-1.a_b",
                 .version = {},
                 .address = {},
                 .labels = {{"zone", "1"}}})
          .empty());
  for (const std::string name : {"", "a b", "a,b", "a=b", "\xc3\xa4"})
    CHECK(refusal({.name = name, .version = {}, .address = {}, .labels = {}})
          == cluster_rule::description);
  CHECK(refusal({.name = std::string(64, 'a'),
                 .version = {},
                 .address = {},
                 .labels = {}})
        == cluster_rule::description);
  CHECK(
    refusal({.name = "a", .version = {}, .address = "http://a b", .labels = {}})
    == cluster_rule::description);
  CHECK(refusal(
          {.name = "a", .version = {}, .address = {}, .labels = {{"zone", ""}}})
        == cluster_rule::description);
  CHECK(value_of(read_labels("a=1,b=2"))
        == std::map<std::string, std::string>{{"a", "1"}, {"b", "2"}});
  CHECK(rule_of_failure(read_labels("a=1,a=2")) == cluster_rule::description);
  CHECK(rule_of_failure(read_labels("a")) == cluster_rule::description);
}
