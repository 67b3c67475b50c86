#include "program.hpp"
#include "server/http/raw_client.hpp"

#include <convene/protocol/json/json_text.hpp>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <sstream>
#include <thread>
#include <vector>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;
namespace json = boost::json;

namespace {

/// What the program has said by the end of its first line.
std::string first_line_of(program& running) {
  for (;;) {
    const auto out = running.output();
    if (const auto end = out.find('\n'); end != out.npos)
      return out.substr(0, end);
    if (running.has_ended())
      FAIL(running.wait().err);
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
}

/// A server of the program, on a free port.
class served {
public:
  explicit served(const std::vector<std::string>& more = {},
                  const std::string& data = {})
    : data_{data.empty() ? (folder_ / "data").string() : data}, running_{
                                                                  with(more)} {
    while (port_ == 0) {
      if (running_.has_ended())
        FAIL(running_.wait().err);
      const auto out = running_.output();
      if (out.starts_with("listening on ") && out.ends_with('\n'))
        port_ = static_cast<std::uint16_t>(
          std::stoul(out.substr(out.rfind(':') + 1)));
      else
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
  }

  /// The answer to a GET, with more headers.
  [[nodiscard]] std::string get(const std::string& path,
                                const std::string& headers = {}) const {
    raw_client client{port_};
    client.send("GET " + path
                + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_)
                + "\r\nConnection: close\r\n" + headers + "\r\n");
    return client.all();
  }

  [[nodiscard]] const program& running() const {
    return running_;
  }
  [[nodiscard]] std::uint16_t port() const {
    return port_;
  }
  [[nodiscard]] const std::string& data() const {
    return data_;
  }

  [[nodiscard]] finished stopped_by(int number) {
    running_.signal(number);
    return running_.wait();
  }

private:
  [[nodiscard]] std::vector<std::string>
  with(const std::vector<std::string>& more) const {
    std::vector<std::string> all{"serve", "--listen", "127.0.0.1:0", "--data",
                                 data_};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  scratch_folder folder_;
  std::string data_;
  program running_;
  std::uint16_t port_ = 0;
};

/// How many turns a log has that were dispatched and are whole on it.
std::size_t dispatched_turns(const std::string& log) {
  std::istringstream lines{std::filesystem::exists(log) ? read_bytes(log) : ""};
  std::size_t turns = 0;
  for (std::string line; std::getline(lines, line) && !lines.eof();)
    turns += line.find("MAPTurnDispatched") != std::string::npos ? 1 : 0;
  return turns;
}

/// The socket of one who starts services. `name` begins with @ if it is
/// abstract.
class service_socket {
public:
  explicit service_socket(const std::string& name)
    : socket_{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)} {
    sockaddr_un at{.sun_family = AF_UNIX, .sun_path = {}};
    REQUIRE(name.size() < sizeof at.sun_path);
    std::ranges::copy(name, at.sun_path);
    if (name.front() == '@')
      at.sun_path[0] = '\0';
    const auto size = offsetof(sockaddr_un, sun_path) + name.size();
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    REQUIRE(::bind(socket_, reinterpret_cast<const sockaddr*>(&at),
                   static_cast<socklen_t>(size))
            == 0);
    const timeval longest{.tv_sec = 60, .tv_usec = 0};
    REQUIRE(
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest)
      == 0);
  }

  service_socket(const service_socket&) = delete;
  service_socket& operator=(const service_socket&) = delete;
  ~service_socket() {
    ::close(socket_);
  }

  [[nodiscard]] std::string next() const {
    std::string told(1'024, '\0');
    const auto size = ::recv(socket_, told.data(), told.size(), 0);
    told.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return told;
  }

private:
  int socket_;
};

json::value body_of(const std::string& answer) {
  const auto read = parse_json(answer.substr(answer.find("\r\n\r\n") + 4));
  REQUIRE(read);
  return *read;
}

} // namespace

TEST_CASE(
  "a server tells its service manager when it listens and when it stops") {
  const scratch_folder folder;
  for (const std::string& name :
       {(folder / "notify").string(), "@" + (folder / "notify").string()}) {
    const service_socket manager{name};
    program running{{"serve", "--data", (folder / "data").string(), "--listen",
                     "127.0.0.1:0"},
                    {},
                    {"/usr/bin/env", "NOTIFY_SOCKET=" + name, CONVENE_PROGRAM}};
    CHECK_THAT(manager.next(),
               Contains("READY=1\nSTATUS=listening on http://127.0.0.1:"));
    running.signal(SIGTERM);
    CHECK(manager.next() == "STOPPING=1");
    CHECK(running.wait().code == 0);
  }
}

TEST_CASE("a server that is watched reports again and again that it is well") {
  const scratch_folder folder;
  const auto name = (folder / "notify").string();
  const service_socket manager{name};
  program running{{"serve", "--data", (folder / "data").string(), "--listen",
                   "127.0.0.1:0"},
                  {},
                  {"/usr/bin/env", "NOTIFY_SOCKET=" + name,
                   "WATCHDOG_USEC=30000", CONVENE_PROGRAM}};
  CHECK_THAT(manager.next(), Contains("READY=1"));
  for (int count = 0; count < 3; ++count)
    CHECK(manager.next() == "WATCHDOG=1");
  running.signal(SIGTERM);
  CHECK(running.wait().code == 0);
}

TEST_CASE("a server that is asked for JSON says on one line where it is") {
  const scratch_folder folder;
  const auto data = (folder / "data").string();
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"serve", "--data", data},
        std::vector<std::string>{"mock-model"}}) {
    auto all = arguments;
    all.insert(all.end(), {"--listen", "127.0.0.1:0", "--json"});
    program running{all};
    const auto told = parse_json(first_line_of(running));
    REQUIRE(told);
    CHECK_THAT(std::string{told->at("listening").as_string()},
               Contains("http://127.0.0.1:"));
    running.signal(SIGTERM);
    CHECK(running.wait().code == 0);
  }
}

TEST_CASE("serve says where it listens, answers, and stops by a signal") {
  const int number = GENERATE(SIGTERM, SIGINT);
  served server;
  CHECK(status_of(server.get("/healthz")) == 200);
  CHECK(status_of(server.get("/readyz")) == 200);
  CHECK(status_of(server.get("/nothing")) == 404);
  const auto document = body_of(server.get("/openapi.json"));
  CHECK(document.at("openapi") == "3.1.0");
  CHECK(document.at("paths").as_object().contains("/metrics"));
  CHECK(body_of(server.get("/v1/openapi.json")) == document);
  const auto metrics = server.get("/metrics");
  CHECK(status_of(metrics) == 200);
  CHECK_THAT(metrics, Contains("convene_http_requests_total{method=\"GET\","
                               "route=\"/healthz\",status=\"200\"} 1\n")
                        && Contains("convene_http_connections "));
  raw_client idle{server.port()};
  const auto done = server.stopped_by(number);
  CHECK(done.code == 0);
  CHECK_THAT(done.err, Contains("everybody on this machine"));
  CHECK(idle.all().empty());
}

TEST_CASE("a server's numbers have what its log has") {
  served server;
  const auto bytes = [&server] {
    const auto text = server.get("/metrics");
    const std::string name = "convene_log_bytes_total{log=\"sessions\"} ";
    const auto at = text.find('\n' + name);
    REQUIRE(at != text.npos);
    return std::stod(text.substr(at + 1 + name.size()));
  };
  const auto before = bytes();
  const std::string body = R"({"scenario":{"convene":"1","collab":{
    "title":"t","purpose":"p","mode":"round_robin","participants":[
      {"participant_id":"a","kind":"agent","role_id":"r"},
      {"participant_id":"b","kind":"agent","role_id":"r"}]},
    "behaviours":{"*":{"type":"echo"}}}})";
  raw_client client{server.port()};
  client.send("POST /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:"
              + std::to_string(server.port())
              + "\r\nContent-Type: application/json\r\nContent-Length: "
              + std::to_string(body.size()) + "\r\n\r\n" + body);
  CHECK(status_of(client.answer()) == 201);
  CHECK(bytes() > before);
  CHECK_THAT(server.get("/metrics"),
             Contains("\nconvene_queue_jobs{queue=\"runs\"} 0\n"));
}

TEST_CASE("serve refuses what no cluster has before it asks the database") {
  const scratch_folder folder;
  const auto data = (folder / "data").string();
  for (const auto& [more, word] :
       {std::pair{std::vector<std::string>{"--workflows",
                                           (folder / "").string()},
                  "--cluster"},
        {{"--durability", "none"}, "--durability"}}) {
    std::vector<std::string> line{"serve",
                                  "--data",
                                  data,
                                  "--node",
                                  "a",
                                  "--cluster",
                                  "postgres://127.0.0.1:1/none"};
    line.insert(line.end(), more.begin(), more.end());
    const auto refused = run(line);
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains(word) && !Contains("connect"));
  }
  CHECK(!std::filesystem::exists(data));
}

TEST_CASE("with keys, serve refuses whoever has none or not the right one") {
  const scratch_folder folder;
  const auto keys = (folder / "keys.json").string();
  const auto key_for = [&keys](const std::string& scope) {
    auto made = run({"keys", "new", "--file", keys, "--scope", scope});
    REQUIRE(made.code == 0);
    return "Authorization: Bearer " + made.out.substr(0, made.out.size() - 1)
           + "\r\n";
  };
  const auto admin = key_for("admin");
  const auto reader = key_for("read");
  served server{{"--keys", keys}};
  CHECK(status_of(server.get("/healthz")) == 200);
  CHECK(status_of(server.get("/metrics")) == 401);
  CHECK(status_of(server.get("/metrics", reader)) == 403);
  CHECK(status_of(server.get("/metrics", admin)) == 200);
  const auto load
    = run({"load", "--url", "http://127.0.0.1:" + std::to_string(server.port()),
           "--duration", "1s"});
  CHECK(load.code == 1);
  CHECK(load.out.empty());
  CHECK_THAT(load.err, Contains("send a key"));
  const auto done = server.stopped_by(SIGTERM);
  CHECK(done.code == 0);
  CHECK_THAT(done.err, !Contains("everybody"));
}

TEST_CASE("serve does not start where others reach it, unless there are keys") {
  const scratch_folder folder;
  const auto data = (folder / "data").string();
  for (const auto* const place : {"0.0.0.0:0", "[::]:0", "192.0.2.1:80"}) {
    const auto refused = run({"serve", "--listen", place, "--data", data});
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains("--keys") && Contains("keys new"));
    CHECK(refused.out.empty());
  }
  CHECK_FALSE(std::filesystem::exists(data));
}

TEST_CASE("serve says what is wrong with how it was asked") {
  const scratch_folder folder;
  const auto data = (folder / "data").string();
  const auto keys = (folder / "keys.json").string();
  write_bytes(keys, "{}");
  const auto refused = [&data](const std::vector<std::string>& more) {
    std::vector<std::string> all{"serve", "--data", data};
    all.insert(all.end(), more.begin(), more.end());
    const auto ran = run(all);
    CHECK(ran.code == 2);
    return ran.err;
  };
  CHECK_THAT(refused({"--listen", "8080"}), Contains("127.0.0.1:8080"));
  CHECK_THAT(refused({"--listen", "example.com:80"}),
             Contains("expects IP:PORT"));
  CHECK_THAT(refused({"--keys", keys}), Contains(keys));
  CHECK_THAT(refused({"--keys", keys + "x"}), Contains(keys + "x"));
  CHECK_THAT(refused({"--tls", "cert.pem"}), Contains("CERT,KEY"));
  CHECK_THAT(refused({"--tls", "no.pem,no.key"}), Contains("no.pem"));
  CHECK_THAT(refused({"--limit", "body_bytes_max=x"}), Contains("1073741824"));
  CHECK_THAT(refused({"--limit", "body_bytes_max=x"}),
             Contains(
               "--limit body_bytes_max=N expects a whole number from 1 to")
               && Contains("found body_bytes_max=x"));
  CHECK_THAT(refused({"--limit", "bodies=1"}), Contains("body_bytes_max"));
  CHECK_THAT(refused({"--limit", "bodies=1"}),
             Contains("--limit expects NAME=N") && Contains("found bodies=1"));
  CHECK_THAT(refused({"--allow", "everything"}), Contains("everything"));
  CHECK_THAT(refused({"--name", "http://x"}), Contains("--name"));
  CHECK_THAT(refused({"--origin", "app.example"}), Contains("--origin"));
  CHECK_THAT(refused({"--public-url", "https://a.example/b"}),
             Contains("--public-url"));
}

TEST_CASE("a data folder has one server, a port, too") {
  served first;
  const auto second
    = run({"serve", "--listen", "127.0.0.1:0", "--data", first.data()});
  CHECK(second.code == 2);
  CHECK_THAT(second.err, Contains("another server"));
  const scratch_folder folder;
  const auto taken
    = run({"serve", "--listen", "127.0.0.1:" + std::to_string(first.port()),
           "--data", (folder / "data").string()});
  CHECK(taken.code == 2);
  CHECK_THAT(taken.err, Contains("in use"));
  CHECK(first.stopped_by(SIGTERM).code == 0);
  CHECK(served({}, first.data()).stopped_by(SIGTERM).code == 0);
}

TEST_CASE("limits and names of serve hold") {
  served server{{"--limit", "headers_max=3", "--limit", "request_time_ms=200",
                 "--name", "Convene.example"}};
  CHECK(status_of(server.get("/healthz", "A: 1\r\nB: 2\r\n")) == 431);
  raw_client named{server.port()};
  named.send("GET /healthz HTTP/1.1\r\nHost: convene.example\r\n\r\n");
  CHECK(status_of(named.answer()) == 200);
  raw_client other{server.port()};
  other.send("GET /healthz HTTP/1.1\r\nHost: other.example\r\n\r\n");
  CHECK(status_of(other.answer()) == 421);
  raw_client slow{server.port()};
  slow.send("GET /");
  CHECK(status_of(slow.all()) == 408);
  CHECK(server.stopped_by(SIGTERM).code == 0);
}

TEST_CASE("a session of a data folder goes on when the server starts, and is "
          "suspended when it stops") {
  // A run of the program leaves a log of the form that servers have.
  const scratch_folder folder;
  const auto data = (folder / "data").string();
  const auto scenario = (folder / "scenario.json").string();
  write_bytes(scenario, R"({
    "collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "role-planner"}]},
    "behaviours": {"*": {"type": "simulated", "silence": 1}},
    "session": {"turn_timeout_ms": 3600000, "max_duration_ms": 36000000},
    "task": "wait for ever"})");
  {
    program running{
      {"run", scenario, "--instances", "2", "--quiet", "--out", data}};
    // Both have begun, not only one.
    while (dispatched_turns(data + "/log/000001.jsonl") < 2) {
      REQUIRE_FALSE(running.has_ended());
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    running.signal(SIGKILL);
    static_cast<void>(running.wait());
  }
  for (int round = 0; round < 2; ++round) {
    served server{{}, data};
    CHECK_THAT(server.get("/metrics"), Contains("convene_sessions_open 2\n"));
    CHECK(server.stopped_by(SIGTERM).code == 0);
  }
  // Nothing is wrong with it but that they have not ended.
  const auto checked = run({"check", data + "/log"});
  CHECK_THAT(checked.out, Contains("2 sessions, 2 findings")
                            && Contains("session_unfinished"));
}

TEST_CASE("a load that a server carries is measured by its sessions' events") {
  const served server;
  // Whatever has begun is waited for, however long that takes.
  const auto put_on = [](std::uint16_t port) {
    return run({"load", "--url", "http://127.0.0.1:" + std::to_string(port),
                "--sessions", "2", "--connections", "2", "--duration", "1s",
                "--warm-up", "0s", "--drain", "1h", "--json"});
  };
  auto summary = parse_json(put_on(server.port()).out);
  // Once more, if the machine let the second pass before anything began.
  while (summary && summary->at("counts").at("started") == 0)
    summary = parse_json(put_on(server.port()).out);
  REQUIRE(summary);
  CHECK(summary->at("load").at("on") == "server");
  CHECK(summary->at("errors").at("share").to_number<double>() == 0);
  CHECK(summary->at("latency").at("session").at("count").to_number<int>() > 0);
  CHECK(summary->at("latency").at("turn").at("count").to_number<int>() > 0);

  CHECK(put_on(1).code == 3); // nobody listens there
}

TEST_CASE("a trace that is replayed on a server takes there as long, and says "
          "as much") {
  const scratch_folder folder;
  const auto trace = (folder / "trace.json").string();
  write_bytes(trace, R"({"turns": [{"prompt_bytes": 20, "answer_ms": 40},
    {"think_ms": 30, "answer_ms": 10, "answer_bytes": 300}],
    "children": [{"start_ms": 5, "turns": [{"answer_bytes": 7}]}]})");
  const served server;
  const auto told = run({"load", "--trace", trace, "--speed", "2", "--url",
                         "http://127.0.0.1:" + std::to_string(server.port()),
                         "--drain", "1h", "--json"});
  const auto summary = parse_json(told.out);
  REQUIRE(summary);
  CHECK(summary->at("load").at("on") == "server");
  CHECK(summary->at("counts").at("completed") == 2);
  const auto& took = summary->at("latency");
  CHECK(took.at("turn").at("count") == 6);
  // 40, of which each of three delays may be a millisecond short.
  CHECK(took.at("session").at("max_ms").to_number<double>() >= 37);

  std::vector<std::size_t> said;
  const auto listed = body_of(server.get("/v1/sessions"));
  for (const auto& one : listed.at("sessions").as_array()) {
    const auto id = std::string{one.at("session_id").as_string()};
    const auto dialog = body_of(server.get("/v1/sessions/" + id + "/dialog"));
    for (const auto& message : dialog.at("messages").as_array())
      said.push_back(message.at("content").as_string().size());
  }
  std::ranges::sort(said);
  // Twice the task, and what was said but for empty texts.
  CHECK(said == std::vector<std::size_t>{7, 14, 14, 20, 300});
}
