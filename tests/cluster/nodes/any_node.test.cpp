// Nodes that reach each other: a client asks any of them for any session.

#include <cluster/nodes/reached_node.hpp>
#include <convene/runtime/data/postgres/postgres_connection.hpp>
#include <convene/runtime/outside/http/http_client.hpp>

#include <future>
#include <map>
#include <memory>
#include <random>

using namespace convene::tests;
using namespace convene::host;
using Catch::Contains;

namespace {

/// A stream of events up to and with the event of this sequence.
std::string events_to(raw_client& from, int sequence) {
  const auto mark = "id: " + std::to_string(sequence) + "\n";
  auto text = from.until(mark);
  return text + from.until("\n\n");
}

std::string stream_headers(int after = 0) {
  return "Accept: text/event-stream\r\nLast-Event-ID: " + std::to_string(after)
         + "\r\n";
}

/// Why a client with these files cannot talk to the peer port; empty: it can.
std::string refusal_at(std::uint16_t port, const std::string& name,
                       http_options files) {
  files.may_connect = [](const http_peer&) { return true; };
  http_client client{std::move(files)};
  std::promise<http_answer> answer;
  client.start({.method = "GET",
                .url = "https://" + name + "/healthz",
                .connect_to = "127.0.0.1:" + std::to_string(port)},
               [&](http_answer got) { answer.set_value(std::move(got)); });
  return answer.get_future().get().error.code;
}

} // namespace

TEST_CASE("a session is reached through any node, and its stream continues") {
  const cluster_rig in;
  if (in.url.empty())
    return;
  const reached_node a{in, "a"};
  const reached_node b{in, "b", "gpu=yes"};
  const auto at = a.listed();
  CHECK_THAT(std::string{at.at("peer_address").as_string()},
             Contains("https://127.0.0.1:"));
  static_cast<void>(b.listed());
  const auto id = a.begin("?node=b");
  const auto path = "/v1/sessions/" + id;
  for (const auto* node : {&a, &b}) {
    const auto got = node->answer("GET " + path);
    CHECK(status_of(got) == 200);
    CHECK_THAT(got, Contains(R"("node":"b")"));
    CHECK_THAT(node->answer("GET " + path + "/documents/none"),
               Contains("document_unknown"));
  }
  CHECK_THAT(a.answer("GET " + path), Contains("Convene-Node: b"));
  CHECK_THAT(a.ask("HEAD " + path).until("\r\n\r\n"), Contains("200 OK"));
  CHECK(status_of(a.answer("GET /v1/sessions/" + std::string(36, '0'))) == 404);

  auto stream = a.ask("GET " + path + "/events", stream_headers());
  const auto first = events_to(stream, 3);
  CHECK_THAT(first, Contains("text/event-stream") && Contains("id: 1\n"));
  auto later = a.ask("GET " + path + "/events", stream_headers(2));
  CHECK_THAT(events_to(later, 3), !Contains("id: 2\n"));

  const auto say = [&](const reached_node& by, const std::string& key) {
    return by.answer("POST " + path + "/messages",
                     "Idempotency-Key: " + key + "\r\n",
                     R"({"content":"hello through a"})");
  };
  CHECK(status_of(say(a, "one")) == 200);
  CHECK_THAT(say(b, "one"), Contains("openwop-Idempotent-Replay"));
  CHECK_THAT(stream.until("hello through a"), Contains("hello through a"));
  CHECK_THAT(a.answer("GET /v1/requests?session=" + id), Contains("ana"));
  CHECK_THAT(a.answer("GET /v1/sessions"), Contains(id));
  CHECK_THAT(a.answer("GET /v1/sessions?node=a"), !Contains(id));
  CHECK_THAT(a.answer("GET /v1/sessions?node=b"), Contains(id));
  CHECK_THAT(a.answer("GET /v1/sessions?node=x"), Contains("node_unavailable"));
  CHECK_THAT(a.answer("GET /v1/requests?node=b"), Contains(id));
  CHECK(status_of(a.answer("POST " + path + "/cancel", {}, "{}")) == 202);
  CHECK_THAT(stream.until("\r\n0\r\n\r\n"), Contains("MAPSessionCompleted"));
  CHECK_THAT(a.answer("GET /metrics"),
             Contains("convene_peer_requests_total{outcome=\"answered\"}"));
}

TEST_CASE(
  "a session begins on the node that is asked for, and with a key always "
  "on the same") {
  const cluster_rig in;
  if (in.url.empty())
    return;
  const reached_node a{in, "a"};
  const reached_node b{in, "b", "gpu=yes"};
  const reached_node c{in, "c", "gpu=no"};
  for (const auto* node : {&a, &b, &c})
    static_cast<void>(node->listed());
  const auto node_of = [&](const std::string& id) {
    const auto got = a.answer("GET /v1/sessions/" + id);
    const auto place = got.find(R"("node":")");
    REQUIRE(place != got.npos);
    return got.substr(place + 8, 1);
  };
  CHECK(node_of(a.begin("?label=gpu=yes")) == "b");
  CHECK(node_of(b.begin("?label=gpu=no")) == "c");
  CHECK(node_of(c.begin("?node=a")) == "a");
  const auto none = a.answer("POST /v1/sessions?label=tpu", {}, "{}");
  CHECK(status_of(none) == 503);
  CHECK_THAT(none, Contains("node_unavailable") && Contains("Retry-After"));
  for (const auto* word : {"one", "two", "three", "four"}) {
    const auto key = std::string{"Idempotency-Key: "} + word + "\r\n";
    const auto id = a.begin("", key);
    CHECK(b.begin("", key) == id);
    CHECK(c.begin("", key) == id);
    int owners = 0;
    for (const auto* node : {&a, &b, &c})
      owners += node->answer("GET /v1/sessions?node=" + node->name()).find(id)
                    != id.npos
                  ? 1
                  : 0;
    CHECK(owners == 1);
  }
  for (const auto* node : {&a, &b, &c}) {
    const auto draft = node->draft();
    CHECK_THAT(node->answer("GET /v1/sessions/" + draft), Contains("draft"));
  }
  std::map<std::string, int> counts;
  for (int i = 0; i < 12; ++i)
    ++counts[node_of(a.begin(""))];
  CHECK(counts.size() > 1);
}

TEST_CASE(
  "a request is not passed on twice, and a node that is down is named") {
  const cluster_rig in;
  if (in.url.empty())
    return;
  const reached_node a{in, "a"};
  std::string path;
  {
    reached_node b{in, "b"};
    static_cast<void>(b.listed());
    static_cast<void>(a.listed());
    path = "/v1/sessions/" + a.begin("?node=b");
    CHECK(status_of(a.answer("GET " + path, "Convene-From-Node: c\r\n"))
          == 200); // a client is not believed
    auto stream = a.ask("GET " + path + "/events", stream_headers());
    static_cast<void>(events_to(stream, 2));
    static_cast<void>(b.stopped_by(SIGKILL));
    const auto rest = stream.all(); // it ends, and not as if all had come
    CHECK_THAT(rest, !Contains("\r\n0\r\n\r\n"));
  }
  const auto down = a.answer("GET " + path);
  CHECK(status_of(down) == 503);
  CHECK_THAT(down, Contains("node_unreachable") && Contains("Retry-After")
                     && Contains("\"b\""));
  auto database = postgres_connection::open({.url = in.url});
  REQUIRE(database);
  REQUIRE(database->query("UPDATE convene_cluster.nodes SET lease_until = "
                          "clock_timestamp() - interval '1 s' "
                          "WHERE name = 'b'"));
  for (auto got = down; got.find("node_down") == got.npos;) {
    got = a.answer("GET " + path);
    CHECK(status_of(got) == 503);
    wait_a_little();
  }
}

TEST_CASE("a process that another of its name replaced passes requests on") {
  const cluster_rig in;
  if (in.url.empty())
    return;
  const reached_node old{in, "a"};
  static_cast<void>(old.listed());
  const auto path = "GET /v1/sessions/" + old.begin("");
  old.signal(SIGSTOP);
  auto database = postgres_connection::open({.url = in.url});
  REQUIRE(database);
  REQUIRE(database->query("UPDATE convene_cluster.nodes SET lease_until = "
                          "clock_timestamp() - interval '1 s'"));
  const reached_node next{in, "a"};
  static_cast<void>(next.listed());
  while (status_of(next.answer(path)) != 200)
    wait_a_little();
  old.signal(SIGCONT);
  std::string got;
  do {
    got = old.answer(path);
    wait_a_little();
  } while (got.find("Convene-Node: a") == got.npos);
  CHECK(status_of(got) == 200);
}

TEST_CASE("a start with a key finds its session where another node took it") {
  const cluster_rig in;
  if (in.url.empty())
    return;
  const reached_node a{in, "a"};
  const reached_node c{in, "c"};
  const std::string key{"Idempotency-Key: one\r\n"};
  std::string id;
  {
    reached_node b{in, "b"};
    for (const auto* node :
         std::initializer_list<const reached_node*>{&a, &b, &c})
      static_cast<void>(node->listed());
    id = b.begin("?node=b", key);
    CHECK(b.stopped_by(SIGTERM).code == 0);
  }
  while (status_of(a.answer("GET /v1/sessions/" + id)) != 200
         || status_of(c.answer("GET /v1/sessions/" + id)) != 200)
    wait_a_little();
  CHECK(a.begin("", key) == id);
  CHECK(c.begin("", key) == id);
}

TEST_CASE("without certificates a node says where a session is") {
  const cluster_rig in;
  if (in.url.empty())
    return;
  const reached_node a{in, "a", "zone=x", "none"};
  const reached_node b{in, "b", "zone=x", "none"};
  static_cast<void>(a.listed());
  const auto address = b.listed().at("address").as_string();
  const auto id = b.begin("");
  const auto got = a.answer("GET /v1/sessions/" + id);
  CHECK(status_of(got) == 421);
  CHECK_THAT(got, Contains("session_elsewhere") && Contains(address.c_str()));
  CHECK(status_of(a.answer("POST /v1/sessions?node=b", {}, "{}")) == 503);
}

TEST_CASE("the peer port refuses who has no certificate of the cluster's CA") {
  const cluster_rig in;
  if (in.url.empty())
    return;
  const test_authority other{in.folder / ".", "other"};
  reached_node a{in, "a"};
  const auto port = a.peer_port();
  std::random_device seed;
  const auto number = seed();
  INFO("seed " << number);
  std::mt19937 random{number};
  for (const auto& bytes :
       {std::string{"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"},
        std::string{"\x01"} + std::string(31, '\0'),
        std::string(300, '\xff')}) {
    raw_client client{port};
    client.send(bytes);
    CHECK_THAT(client.all(), !Contains("HTTP/1.1"));
  }
  for (int i = 0; i < 100; ++i) {
    std::string bytes{"\x16\x03\x01"};
    for (int n = 0; n < 200; ++n)
      bytes += static_cast<char>(random());
    raw_client client{port};
    client.send(bytes);
    client.stop_sending();
    static_cast<void>(client.all());
  }
  const auto files = [&](const test_authority& by, const std::string& name,
                         const test_authority::wish& how) {
    static_cast<void>(by.issue(name, how));
    return http_options{.ca_file = in.ca.path("ca.pem"),
                        .certificate_file = by.path(name + ".pem"),
                        .key_file = by.path(name + ".key")};
  };
  const auto refused = [&](http_options of) {
    const auto code = refusal_at(port, "a", std::move(of));
    // Where the server refuses after the client's handshake, it is a lost one.
    return code == "tls_failed" || code == "connection_lost";
  };
  CHECK(refusal_at(port, "a", files(in.ca, "good", {})) == "");
  CHECK(refusal_at(port, "b", files(in.ca, "good2", {})) == "tls_failed");
  CHECK(refused(files(other, "foreign", {})));
  CHECK(refused(files(in.ca, "old", {.from_s = -7'200, .until_s = -60})));
  CHECK(refused(files(in.ca, "server", {.usage = "serverAuth"})));
  CHECK(refused({.ca_file = in.ca.path("ca.pem")}));
  CHECK(refusal_at(port, "a", files(in.ca, "good3", {})) == "");
  const auto done = a.stopped_by(SIGTERM);
  CHECK(done.code == 0);
  CHECK_THAT(done.err, Contains("the peer port refused a connection from "
                                "127.0.0.1"));
}

TEST_CASE("a node does not start with certificates that others would refuse") {
  const cluster_rig in;
  const auto start = [&](const std::string& tls, const std::string& node) {
    return run({"serve", "--listen", "127.0.0.1:0", "--data",
                in.folder / "data", "--cluster", "postgres:///none", "--node",
                node, "--peer-listen", "127.0.0.1:0", "--peer-tls", tls});
  };
  const auto expired = start(
    in.ca.issue("old", {.dns = "a", .from_s = -7'200, .until_s = -60}), "a");
  CHECK(expired.code == 2);
  CHECK_THAT(expired.err, Contains("old.pem") && Contains("expired"));
  CHECK_THAT(start(in.ca.issue("a"), "b").err, Contains("\"b\""));
  CHECK_THAT(start(in.ca.issue("n1", {.dns = "1"}), "1").err,
             Contains("looks like a number"));
  CHECK_THAT(start("a,b", "a").err, Contains("CERT,KEY,CA"));
  const auto named
    = run({"serve", "--data", in.folder / "data", "--cluster", "postgres:///n",
           "--node", "a", "--peer-listen", "host:1", "--peer-tls", "a,b,c"});
  CHECK_THAT(named.err, Contains("--peer-listen expects"));
  CHECK(!std::filesystem::exists(in.folder / "data"));
}
