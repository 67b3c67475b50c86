#include "run_fixture.hpp"

#include <convene/protocol/documents/trace_context.hpp>
#include <convene/protocol/documents/trace_ids.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <protocol/otlp/otlp_rules.hpp>

#include <cstdlib>
#include <optional>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;
using convene::protocol::parse_traceparent;
using convene::test::otlp_rules;
namespace json = boost::json;

namespace {

const std::string trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string caller = "00-" + trace_id + "-00f067aa0ba902b7-01";

/// A program that says in which trace it was called.
const std::string telling = R"({
  "collab": {"mode": "round_robin", "participants": [
    {"participant_id": "ann", "role_id": "role-planner"}]},
  "behaviours": {"ann": {"type": "process",
    "command": ["sh", "-c",
      "cat >/dev/null; echo '{\"content\": \"'$TRACEPARENT $TRACESTATE'\"}'"]}},
  "session": {"rounds": 1}, "task": "go on"})";

/// Sets environment variables as long as it lives.
class environment {
public:
  environment(const char* parent, const char* state) {
    ::setenv("TRACEPARENT", parent, 1);
    ::setenv("TRACESTATE", state, 1);
  }
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;
  ~environment() {
    ::unsetenv("TRACEPARENT");
    ::unsetenv("TRACESTATE");
  }
};

struct told_trace : run_fixture {
  told_trace() : run_fixture{telling} {}

  /// What the program said.
  std::string said(const std::vector<std::string>& more = {}) const {
    auto all = more;
    all.insert(all.end(), {"--allow", "run=sh"});
    const auto done = run_with(all);
    INFO(done.err);
    REQUIRE(done.code == 0);
    const auto dialog = parse_json(read_bytes(out + "/dialog.json")).value();
    const auto& messages = dialog.at("messages").as_array();
    return std::string{messages.back().at("content").as_string()};
  }

  [[nodiscard]] json::value exported() const {
    const auto done = run({"export", out, "--format", "otlp"});
    REQUIRE(done.code == 0);
    auto made = parse_json(done.out).value();
    CHECK(otlp_rules::broken(made) == std::vector<std::string>{});
    return made;
  }
};

json::value started_in(const std::string& out) {
  const auto log = read_bytes(out + "/events.jsonl");
  const auto begin = log.find("\"MAPSessionStarted\"");
  const auto line = log.rfind('\n', begin) + 1;
  return parse_json(log.substr(line, log.find('\n', line) - line)).value();
}

} // namespace

TEST_CASE("a run is a part of its caller's trace, and hands it on") {
  const told_trace made;
  const auto said = made.said({"--traceparent", caller, "--tracestate", "a=b"});
  const auto handed_on = parse_traceparent(said.substr(0, said.find(' ')));
  REQUIRE(handed_on);
  CHECK(handed_on->trace == parse_traceparent(caller)->trace);
  CHECK_THAT(said, Catch::EndsWith(",a=b"));
  const auto trace = made.exported();
  const auto& spans = otlp_rules::spans(trace);
  CHECK(spans[0].at("traceId").as_string() == trace_id);
  CHECK(spans[0].at("parentSpanId") == "00f067aa0ba902b7");
  // The program's own spans are below the span of its attempt.
  const auto& attempt = spans[spans.size() - 1];
  CHECK(otlp_rules::attribute(attempt, "mplp.operation") == "action");
  CHECK(said.substr(36, 16) == attempt.at("spanId").as_string());
  CHECK(run({"replay", made.out}).code == 0);
  CHECK(run({"check", made.out}).code == 0);
}

TEST_CASE("without a caller a run hands on the trace that it exports") {
  const told_trace made;
  const auto said = made.said();
  const auto trace = made.exported();
  const auto& spans = otlp_rules::spans(trace);
  CHECK(said.substr(3, 32) == spans[0].at("traceId").as_string());
  CHECK_FALSE(spans[0].as_object().contains("parentSpanId"));
  CHECK(started_in(made.out).at("payload").at("spec").as_object().if_contains(
          "trace_context")
        == nullptr);
}

TEST_CASE("the caller's trace is taken from the environment") {
  const environment set{caller.c_str(), "a=b"};
  const told_trace made;
  made.said();
  const auto context
    = started_in(made.out).at("payload").at("spec").at("trace_context");
  CHECK(context.at("traceparent").as_string() == caller);
  CHECK(context.at("tracestate") == "a=b");
  // An option has a trace of its own, with a tracestate of its own.
  const told_trace other;
  auto second = caller;
  second.replace(3, 1, "5");
  other.said({"--traceparent", second});
  const auto own
    = started_in(other.out).at("payload").at("spec").at("trace_context");
  CHECK(own.at("traceparent").as_string() == second);
  CHECK_FALSE(own.as_object().contains("tracestate"));
}

TEST_CASE("a variable that is no trace is ignored, and said to be") {
  const run_fixture made{answers};
  const auto run_in = [&](const char* name) {
    return run({"run", made.scenario, "--out", (made.folder / name).string()});
  };
  {
    const environment set{"00-1-2-3", "a=b"};
    const auto done = run_in("first");
    CHECK(done.code == 0);
    CHECK_THAT(done.err, Contains("TRACEPARENT"));
  }
  const environment set{caller.c_str(), "a"};
  const auto done = run_in("second");
  CHECK(done.code == 0);
  CHECK_THAT(done.err, Contains("TRACESTATE"));
  const auto context = started_in((made.folder / "second").string())
                         .at("payload")
                         .at("spec")
                         .at("trace_context");
  CHECK(context.at("traceparent").as_string() == caller);
  CHECK_FALSE(context.as_object().contains("tracestate"));
}

TEST_CASE("an option that is no trace is refused") {
  const run_fixture made{answers};
  const auto parent = made.run_with({"--traceparent", "00-1-2-3"});
  CHECK(parent.code == 2);
  CHECK_THAT(parent.err, Contains("--traceparent"));
  const auto state
    = made.run_with({"--traceparent", caller, "--tracestate", "a"});
  CHECK(state.code == 2);
  CHECK_THAT(state.err, Contains("--tracestate"));
  const auto alone = made.run_with({"--tracestate", "a=b"});
  CHECK(alone.code == 2);
  CHECK_THAT(alone.err, Contains("--traceparent"));
}

TEST_CASE("a seed gives the same log whatever the environment says") {
  const auto log_of = [] {
    const run_fixture made{answers};
    REQUIRE(made.run_with({"--seed", "4"}).code == 0);
    return read_bytes(made.out + "/events.jsonl");
  };
  const auto plain = log_of();
  const environment set{caller.c_str(), "a=b"};
  CHECK(log_of() == plain);
}
