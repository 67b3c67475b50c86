// convene run and convene load on nodes of a cluster.

#include <cluster/nodes/reached_node.hpp>
#include <convene/runtime/data/postgres/postgres_connection.hpp>
#include <runtime/outside/http/raw_server.hpp>

using namespace convene::tests;
using namespace convene::host;
using Catch::Contains;

namespace {

/// A scenario in which ana has the last word.
std::string review_in(const scratch_folder& folder) {
  const auto review = *convene::protocol::parse_json(
    read_bytes(examples_folder + "server/review.json"));
  const auto path = folder / "review.json";
  write_bytes(path, json::serialize(review.at("scenario")));
  return path;
}

/// Of the one open question, once a node has asked it.
std::string asked_token(const reached_node& by) {
  for (;;) {
    const auto all = by.object("/v1/requests?wait_ms=1000");
    if (const auto& open = all.at("requests").as_array(); !open.empty())
      return std::string{open[0].at("token").as_string()};
  }
}

void approve(const reached_node& by, const std::string& token) {
  CHECK(status_of(by.answer("POST /v1/requests/" + token + "/reply", {},
                            R"({"content":"APPROVED"})"))
        == 200);
}

} // namespace

TEST_CASE(
  "a run on a cluster ends as one here does, past the loss of its node") {
  const cluster_rig in;
  if (in.url.empty())
    return;
  const reached_node a{in, "a"};
  reached_node b{in, "b"};
  static_cast<void>(a.listed());
  static_cast<void>(b.listed());
  const auto out = in.folder / "out";
  program running{{"run", review_in(in.folder), "--cluster", in.url, "--node",
                   "b", "--out", out}};
  const auto token = asked_token(a);
  CHECK_THAT(a.answer("GET /v1/sessions"), Contains(R"("node":"b")"));
  static_cast<void>(b.stopped_by(SIGTERM));
  CHECK(asked_token(a) == token);
  approve(a, token);
  const auto done = running.wait();
  INFO(done.err);
  CHECK(done.code == 0);
  CHECK_THAT(done.out,
             Contains("completed") && Contains("Log and documents: "));
  CHECK(run({"check", out}).code == 0);
  CHECK_THAT(read_bytes(out / "result.json"),
             Contains(R"("status":"completed")")
               || Contains(R"("status": "completed")"));
}

TEST_CASE("a run that is interrupted leaves its session on the cluster") {
  const cluster_rig in;
  if (in.url.empty())
    return;
  const reached_node a{in, "a"};
  static_cast<void>(a.listed());
  const auto out = in.folder / "out";
  program running{{"run", review_in(in.folder), "--url", "http://127.0.0.1:1",
                   "--url", a.url(), "--out", out}};
  const auto token = asked_token(a);
  running.signal(SIGINT);
  const auto done = running.wait();
  CHECK(done.code == 130);
  CHECK_THAT(done.err, Contains("runs on") && Contains("/cancel"));
  CHECK(!std::filesystem::exists(out));
  CHECK(asked_token(a) == token);
}

TEST_CASE("a run whose server does not answer ends at SIGINT") {
  const raw_server silent{[](const std::string&, std::size_t) {
    return raw_answer{.after = then_do::hang};
  }};
  const scratch_folder folder;
  program running{{"run", review_in(folder), "--url", silent.url()}};
  while (silent.requests() == 0)
    std::this_thread::yield();
  running.signal(SIGINT);
  const auto done = running.wait();
  CHECK(done.code == 130);
  CHECK_THAT(done.err, Contains("may have begun") && Contains("/cancel"));
}

TEST_CASE("what a server decides is refused with a run on it") {
  const scratch_folder folder;
  const auto refused = [&](std::vector<std::string> with) {
    with.insert(with.begin(), {"run", review_in(folder)});
    const auto done = run(with);
    CHECK(done.code == 2);
    return done.err;
  };
  const std::string url{"http://127.0.0.1:1"};
  CHECK_THAT(refused({"--url", url, "--seed", "1"}), Contains("--seed"));
  CHECK_THAT(refused({"--url", url, "--instances", "2"}),
             Contains("--instances"));
  CHECK_THAT(refused({"--url", url, "--allow", "net"}), Contains("--allow"));
  CHECK_THAT(refused({"--label", "x"}), Contains("--url"));
  CHECK(run({"run", review_in(folder), "--url", url}).code == 3);
}

TEST_CASE("a load on nodes uses those that are up") {
  const cluster_rig in;
  if (in.url.empty())
    return;
  const reached_node a{in, "a"};
  reached_node b{in, "b"};
  static_cast<void>(a.listed());
  static_cast<void>(b.listed());
  static_cast<void>(b.stopped_by(SIGTERM));
  const auto done
    = run({"load", "--url", b.url(), "--url", a.url(), "--sessions", "2",
           "--duration", "1s", "--drain", "60s", "--json"});
  INFO(done.err);
  const auto all = convene::protocol::parse_json(done.out);
  REQUIRE(all);
  const auto& counts = all->at("counts");
  CHECK(counts.at("completed").as_int64() > 0);
  CHECK(counts.at("failed") == 0);
  CHECK(all->at("aborted").is_null());
  // On a busy machine the generator may be late, which is not the node's fault.
  CHECK(all->at("good") == all->at("valid"));
  CHECK(done.code == (all->at("good").as_bool() ? 0 : 1));
}
