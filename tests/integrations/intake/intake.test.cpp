#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/integrations/intake/intake.hpp>
#include <convene/integrations/intake/outcomes.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace convene::protocol;
using convene::host::incoming;
using convene::host::intake_limits;
using convene::host::intake_verdict;
using convene::host::integration_intake;
using convene::host::read_incoming_line;

namespace {

constexpr timestamp_ms start = 1'767'225'600'000;
constexpr timestamp_ms later = start + 1'000'000;

std::string envelope(const std::string& type, const std::string& payload,
                     const std::string& source = "ci-v1") {
  return R"({"event_id":"00000000-0000-4000-8000-000000000001","event_type":")"
         + type
         + R"(","event_family":"external_integration","timestamp":"2026-01-01T00:00:00.000Z","source":")"
         + source + R"(","payload":)" + payload + '}';
}

std::string file_update(const std::string& path, int second,
                        const std::string& source = "editor") {
  return envelope("file_update",
                  R"({"file_path":")" + path
                    + R"(","change_type":"modified","timestamp":")"
                    + format_timestamp(start + second * 1000) + "\"}",
                  source);
}

std::string ci(const std::string& run, const std::string& status) {
  return envelope("ci_pipeline",
                  R"({"ci_provider":"ci","pipeline_id":"main","run_id":")" + run
                    + R"(","status":")" + status + "\"}");
}

incoming read(const std::string& line) {
  auto made = read_incoming_line(line);
  INFO(line);
  REQUIRE(made);
  return *std::move(made);
}

std::string rule_of(const std::string& line) {
  const auto made = read_incoming_line(line);
  return made ? "" : made.error().rule;
}

} // namespace

TEST_CASE(
  "an event of each kind is read, and two that say the same have a key") {
  const auto tool = [](const std::string& status) {
    return envelope("tool_execution",
                    R"({"tool_id":"lint","tool_kind":"linter","invocation_id":)"
                    R"("00000000-0000-4000-8000-000000000002","status":")"
                      + status + "\"}");
  };
  const auto git = [](const std::string& ref) {
    return envelope("git_operation",
                    R"({"repo_url":"u","commit_id":"c","ref_name":")" + ref
                      + R"(","event_kind":"commit","timestamp":)"
                        R"("2026-01-01T00:00:00Z"})");
  };
  const std::vector<std::string> all{
    file_update("a", 1), file_update("b", 1),    ci("1", "running"),
    ci("1", "failed"),   ci("2", "failed"),      tool("running"),
    tool("succeeded"),   git("refs/heads/main"), git("refs/heads/x")};
  std::map<std::string, int> keys;
  for (const auto& line : all)
    ++keys[read(line).key];
  CHECK(keys.size() == all.size());
  CHECK(read(file_update("a", 1)).key == read(file_update("a", 2)).key);
}

TEST_CASE("a branch that comes, goes and comes again is told each time") {
  const auto key = [](const std::string& kind, int second) {
    return read(envelope("git_operation",
                         R"({"repo_url":"u","commit_id":"c","ref_name":"b",)"
                         R"("event_kind":")"
                           + kind + R"(","timestamp":")"
                           + format_timestamp(start + second * 1000) + "\"}"))
      .key;
  };
  for (const auto* kind : {"branch_create", "branch_delete", "tag"}) {
    INFO(kind);
    CHECK(key(kind, 1) == key(kind, 1));
    CHECK(key(kind, 1) != key(kind, 2));
  }
  CHECK(key("commit", 1) == key("commit", 2));
}

TEST_CASE("by what an event is known again has a bound, and is small") {
  CHECK(rule_of(ci(std::string(4'097, 'x'), "failed")) == "identity_bytes_max");
  CHECK(read(ci(std::string(4'096, 'x'), "failed")).key.size() == 64);
}

TEST_CASE("what is wrong with an event from outside is said by its rule") {
  CHECK(rule_of(R"({"file_path":"a"})") == "source");
  CHECK(rule_of(envelope("file_update", "{}", "")) == "source");
  CHECK(rule_of(envelope("file_update", "{}", std::string(201, 'x')))
        == "source");
  CHECK(rule_of(envelope("file_update", "{}")) == "required");
  CHECK(rule_of(envelope("drift_detected", "{}")) == "event_type");
  CHECK(rule_of(file_update("../a", 1)) == "path");
  CHECK(rule_of(file_update("/etc/passwd", 1)) == "path");
  CHECK(rule_of(ci("1", "done")) == "enum");
  auto more = ci("1", "running");
  more.insert(more.size() - 2, R"(,"source":"x")");
  CHECK(rule_of(more) == "additionalProperties");
  auto other = ci("1", "running");
  other.replace(other.find("external_integration"), 20, "intent");
  CHECK(rule_of(other) == "event_family");
  CHECK(rule_of(std::string(2 << 20, ' ')) == "event_bytes_max");
  CHECK_FALSE(rule_of("no JSON").empty());
}

TEST_CASE("ten thousand updates and a slow consumer: the newest of each file") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random{seed};
  integration_intake intake{{.events = 64}};
  std::map<std::string, timestamp_ms> newest;
  std::map<std::string, timestamp_ms> seen;
  const auto consume = [&](std::size_t most) {
    for (const auto& each : intake.take(most)) {
      auto& at = seen[each.key];
      CHECK(each.at > at);
      at = each.at;
    }
  };
  for (int i = 0; i < 10'000; ++i) {
    const auto second = static_cast<int>(random() % 500);
    const auto what
      = read(file_update("f" + std::to_string(random() % 200), second));
    newest[what.key] = std::max(newest[what.key], what.at);
    while (intake.offer(what, later) == intake_verdict::full)
      consume(8);
    CHECK(intake.size() <= 64);
    if (i % 100 == 0)
      consume(1);
  }
  consume(64);
  CHECK(intake.size() == 0);
  CHECK(seen == newest);
  const auto& counts = intake.counts();
  CHECK(counts.held_back > 0);
  CHECK(counts.queued + counts.coalesced + counts.duplicates + counts.outdated
        == 10'000);
}

TEST_CASE("repeated and reordered deliveries come to the same") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random{seed};
  std::vector<std::string> all;
  for (int i = 0; i < 40; ++i) {
    all.push_back(file_update("f" + std::to_string(i % 7), i));
    all.push_back(
      ci(std::to_string(i % 10), i % 2 == 0 ? "running" : "failed"));
  }
  const auto outcome = [](const std::vector<std::string>& lines) {
    integration_intake intake;
    for (const auto& line : lines)
      intake.offer(read(line), later);
    std::vector<std::string> out;
    for (const auto& each : intake.take(1'000))
      out.push_back(each.key + ' ' + format_timestamp(each.at));
    return out;
  };
  const auto expected = outcome(all);
  CHECK(expected.size() == 7 + 10);
  auto others = all;
  others.insert(others.end(), all.begin(), all.begin() + 30);
  std::shuffle(others.begin(), others.end(), random);
  CHECK(outcome(others) == expected);
}

TEST_CASE("what was taken or restored is not taken again") {
  integration_intake intake;
  CHECK(intake.offer(read(ci("1", "failed")), later) == intake_verdict::queued);
  CHECK(intake.take(10).size() == 1);
  CHECK(intake.offer(read(ci("1", "failed")), later)
        == intake_verdict::duplicate);
  intake.restore(read(file_update("a", 5)), later);
  CHECK(intake.offer(read(file_update("a", 5)), later)
        == intake_verdict::duplicate);
  CHECK(intake.offer(read(file_update("a", 4)), later)
        == intake_verdict::outdated);
  CHECK(intake.offer(read(file_update("a", 6)), later)
        == intake_verdict::queued);
}

TEST_CASE("an event from the future does not keep those of now out") {
  integration_intake intake;
  const auto now = start + 10'000;
  CHECK(intake.offer(read(file_update("a", 900)), now)
        == intake_verdict::queued);
  CHECK(intake.offer(read(file_update("a", 11)), now + 2'000)
        == intake_verdict::coalesced);
}

TEST_CASE("one source cannot fill the queue for the others") {
  integration_intake intake{{.events = 10, .of_source = 3}};
  for (int i = 0; i < 3; ++i)
    CHECK(
      intake.offer(read(file_update("a" + std::to_string(i), 1, "loud")), later)
      == intake_verdict::queued);
  CHECK(intake.offer(read(file_update("a3", 1, "loud")), later)
        == intake_verdict::full);
  CHECK(intake.offer(read(file_update("a3", 1, "quiet")), later)
        == intake_verdict::queued);
  CHECK(intake.take(1).size() == 1);
  CHECK(intake.offer(read(file_update("a4", 1, "loud")), later)
        == intake_verdict::queued);
}

TEST_CASE("the keys that are remembered are bounded, the newest stay") {
  integration_intake intake{{.known = 2}};
  for (const auto* run : {"1", "2", "3"}) {
    intake.offer(read(ci(run, "failed")), later);
    CHECK(intake.take(1).size() == 1);
  }
  CHECK(intake.offer(read(ci("3", "failed")), later)
        == intake_verdict::duplicate);
  CHECK(intake.offer(read(ci("1", "failed")), later) == intake_verdict::queued);
}

TEST_CASE(
  "the latest run of a pipeline counts, whatever order events come in") {
  const auto at_second = [](const std::string& run, const std::string& status,
                            int second) {
    return envelope("ci_pipeline",
                    R"({"ci_provider":"ci","pipeline_id":"main","commit_id":"c)"
                      + run + R"(","run_id":")" + run + R"(","status":")"
                      + status + R"(","started_at":")"
                      + format_timestamp(start + second * 1000) + "\"}");
  };
  std::vector<std::string> lines{at_second("1", "running", 1),
                                 at_second("1", "failed", 2),
                                 at_second("2", "running", 3),
                                 at_second("2", "succeeded", 3)};
  std::ranges::sort(lines);
  do {
    convene::host::outside_outcomes all;
    convene::host::outside_outcomes of_first{"c1"};
    for (const auto& line : lines) {
      REQUIRE(all.take(read(line)));
      REQUIRE(of_first.take(read(line)));
    }
    REQUIRE(all.latest().size() == 1);
    CHECK(all.latest().front().run == "2");
    CHECK(all.latest().front().status == "succeeded");
    CHECK(of_first.latest().front().status == "failed");
  } while (std::ranges::next_permutation(lines).found);
}

TEST_CASE("what a tool did counts, each tool and provider for itself") {
  const auto tool = [](const std::string& name, const std::string& status) {
    return envelope("tool_execution",
                    R"({"tool_id":")" + name
                      + R"(","tool_kind":"linter","invocation_id":)"
                        R"("00000000-0000-4000-8000-00000000000)"
                      + (status == "failed" ? '1' : '2') + R"(","status":")"
                      + status + "\"}");
  };
  convene::host::outside_outcomes all;
  for (const auto& line : {tool("lint", "failed"), tool("lint", "succeeded"),
                           tool("test", "failed"), ci("1", "cancelled"),
                           ci("2", "pending"), file_update("a", 1)})
    REQUIRE(all.take(read(line)));
  std::vector<std::string> told;
  for (const auto& each : all.latest())
    told.push_back(each.name + ' ' + each.status);
  CHECK(told
        == std::vector<std::string>{"main pending", "lint succeeded",
                                    "test failed"});
}

TEST_CASE(
  "runs beyond the most are refused, and those that are known are not") {
  convene::host::outside_outcomes all;
  auto one = read(ci("0", "running"));
  auto& run = one.event.at("payload").as_object().at("run_id");
  for (std::size_t n = 0; n < convene::host::outside_runs_max; ++n) {
    run = std::to_string(n);
    REQUIRE(all.take(one));
  }
  CHECK(all.take(one));
  run = "another";
  const auto refused = all.take(one);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "outside_runs_max");
}

TEST_CASE("a file that was written again is remembered as new") {
  integration_intake intake{{.known = 2}};
  const auto write = [&](const std::string& path, int second) {
    CHECK(intake.offer(read(file_update(path, second)), later)
          == intake_verdict::queued);
    CHECK(intake.take(1).size() == 1);
  };
  write("a", 1);
  write("b", 1);
  write("a", 2);
  write("c", 1);
  CHECK(intake.offer(read(file_update("a", 2)), later)
        == intake_verdict::duplicate);
  CHECK(intake.offer(read(file_update("b", 1)), later)
        == intake_verdict::queued);
}
