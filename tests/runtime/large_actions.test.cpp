// Arguments and outputs of actions that are too large for the log.

#include "log_texts.hpp"
#include "sample.hpp"

#include <catch2/catch.hpp>
#include <convene/protocol/documents/blob.hpp>
#include <convene/runtime/log/blobs/blob_audit.hpp>
#include <convene/runtime/log/blobs/blob_files.hpp>

#include <atomic>
#include <fstream>
#include <latch>

using namespace convene;
using namespace convene::tests;
namespace fs = std::filesystem;

namespace {

using protocol::action_result;
using protocol::action_status;
using protocol::json::value;

constexpr std::size_t five_mebibytes = std::size_t{5} << 20;

/// However slow the disk is.
const session::options patient{.turn_timeout_ms = 3'000'000};

/// An action with these arguments and this output.
struct large_action {
  value arguments;
  value output;
  std::atomic<int> calls = 0;
  value seen; ///< what came of it
  action_result last;
  std::shared_ptr<actors::live_turn> open; ///< if it `stays`

  /// Does it and then answers, unless `stays`: then the request stays open.
  participant agent(std::latch* stays = nullptr) {
    return async_agent(
      "a", "role-a",
      [this, stays](const turn_request& asked, const responder&) {
        const auto live = asked.live;
        live->act(
          {.position = "1.0",
           .kind = protocol::action_kind::mcp,
           .name = "files/read",
           .arguments = arguments},
          {},
          [this](const actors::attempt&, const actors::when_acted& to) {
            ++calls;
            to({.output = output, .usage = {.prompt_tokens = 7}});
            return actors::cancel_function{};
          },
          [this, live, stays](action_result got) {
            last = got;
            seen = std::move(got.output);
            if (stays != nullptr) {
              open = live;
              stays->count_down();
            } else {
              live->answer({.content = got.status == action_status::completed
                                         ? "done"
                                         : got.error.code});
            }
          });
      });
  }
};

value text_of_size(std::size_t bytes) {
  return value(std::string(bytes, 'x'));
}

std::string last_said(const result<session_result>& ended) {
  return std::string{ended->report->talk.entries().back().content};
}

/// Runs the agent once, to the end.
result<session_result> run_once(const runtime_options& how,
                                large_action& what) {
  convene::runtime rt{how};
  auto ended
    = rt.start(
          {.participants = {what.agent()}, .task = "act", .options = patient})
        .await();
  REQUIRE(ended);
  REQUIRE(rt.close());
  return ended;
}

/// Leaves a log in which the action has its result and its turn is open.
void interrupt(const fs::path& log, large_action& what) {
  std::latch acted{1};
  std::latch logged{1};
  auto rt = runtime::open({.log = log}).value();
  const auto session = rt->start(
    {.participants = {what.agent(&acted)}, .task = "act", .options = patient},
    [&](std::string_view, std::string_view events) {
      if (events.find("action_ended") != events.npos && !logged.try_wait())
        logged.count_down();
    });
  acted.wait();
  logged.wait();
  rt->suspend_all("later");
  CHECK_FALSE(session.await());
  REQUIRE(rt->close());
}

/// Goes on with it.
result<session_result> go_on(const fs::path& log, large_action& what) {
  auto rt = runtime::open({.log = log}, {.functions = {{"a", what.agent()}},
                                         .resume_suspended = true})
              .value();
  REQUIRE(rt->recovered().sessions.size() == 1);
  auto ended = rt->recovered().sessions[0].await();
  REQUIRE(ended);
  REQUIRE(rt->close());
  return ended;
}

std::vector<protocol::blob> blobs_of(const fs::path& log) {
  std::vector<protocol::blob> all;
  for (const auto& line : events_of(log))
    for (auto& each : protocol::blobs_of_line(line))
      all.push_back(std::move(each));
  return all;
}

host::blob_audit audited(const fs::path& log) {
  host::blob_audit audit{log};
  REQUIRE(host::visit_log(log, [&](const auto& place, std::string_view line) {
    audit.feed(place, line);
  }));
  audit.finish(true);
  return audit;
}

} // namespace

TEST_CASE("an output of 5 MiB goes through a session and its resumption, and "
          "is made once") {
  const scratch_folder at;
  const auto log = at / "events.jsonl";
  large_action what{.arguments = {{"path", "large"}},
                    .output = text_of_size(five_mebibytes)};
  interrupt(log, what);
  CHECK(what.seen == what.output);
  CHECK(fs::file_size(log) < 100'000);
  const auto named = blobs_of(log);
  REQUIRE(named.size() == 1);
  CHECK(fs::file_size(at / "blobs" / named[0].sha256) == five_mebibytes + 2);

  what.seen = nullptr;
  CHECK(last_said(go_on(log, what)) == "done");
  CHECK(what.calls == 1);
  CHECK(what.seen == what.output);
  CHECK(what.last.usage.prompt_tokens == 7);
  std::size_t sessions = 0;
  CHECK(findings_in(log, sessions).empty());
  CHECK(audited(log).findings().empty());
  const auto events = events_of(log);
  CHECK(is_between_inputs(events, events.size()));
}

TEST_CASE("a result whose blob is gone or forged fails the turn by its name") {
  const auto [code, bytes]
    = GENERATE(table<std::string, std::optional<std::string>>(
      {{"blob_missing", std::nullopt},
       {"blob_corrupt", "\"forged\""},
       {"blob_corrupt", '"' + std::string(100'000, 'y') + '"'}}));
  const scratch_folder at;
  const auto log = at / "events.jsonl";
  large_action what{.output = text_of_size(100'000)};
  interrupt(log, what);
  const auto named = blobs_of(log);
  REQUIRE(named.size() == 1);
  const auto file = at / "blobs" / named[0].sha256;
  fs::remove(file);
  if (bytes)
    std::ofstream{file, std::ios::binary} << *bytes;
  CHECK(last_said(go_on(log, what)) == code);
  CHECK(what.calls == 1);
  CHECK(what.last.error.message.find(named[0].sha256) != std::string::npos);
}

TEST_CASE("arguments that are large are compared by what they are") {
  const scratch_folder at;
  const auto log = at / "events.jsonl";
  large_action what{.arguments = text_of_size(200'000), .output = "small"};
  interrupt(log, what);
  CHECK(blobs_of(log).size() == 1);
  const bool same = GENERATE(true, false);
  if (!same)
    what.arguments = value(std::string(200'000, 'y'));
  CHECK(last_said(go_on(log, what)) == (same ? "done" : "action_changed"));
  CHECK(what.calls == 1);
}

TEST_CASE("an output that looks like a reference comes back as it is") {
  const scratch_folder at;
  const auto log = at / "events.jsonl";
  const auto secret = host::name_blob("\"of somebody else\"");
  large_action what{.output = encode(secret)};
  interrupt(log, what);
  CHECK(blobs_of(log).at(0) != secret);
  what.seen = nullptr;
  CHECK(last_said(go_on(log, what)) == "done");
  CHECK(what.seen == what.output);
}

TEST_CASE("what is small stays on the log, and without a log is refused when "
          "it is large") {
  const scratch_folder at;
  large_action small{.output = text_of_size(60'000)};
  CHECK(last_said(run_once({.log = at / "events.jsonl"}, small)) == "done");
  CHECK_FALSE(fs::exists(at / "blobs"));
  large_action medium{.output = text_of_size(1'000'000)};
  CHECK(last_said(run_once({}, medium)) == "done");
  CHECK(medium.seen == medium.output);
  large_action large{.output = text_of_size(five_mebibytes)};
  CHECK(last_said(run_once({}, large)) == "action_bytes_max");
}

TEST_CASE("what cannot be kept beside the log fails its action, and says why") {
  const scratch_folder at;
  const auto log = at / "events.jsonl";
  std::ofstream{at / "blobs"} << "in the way";
  large_action what{.output = text_of_size(100'000)};
  const auto ended = run_once({.log = log}, what);
  CHECK(last_said(ended) == "blob_not_written");
  CHECK(what.last.error.message.find("blobs") != std::string::npos);
  CHECK(ended->usage.prompt_tokens == 7);
  large_action too_large{.output = text_of_size(protocol::blob_bytes_max)};
  CHECK(last_said(run_once({.log = at / "other.jsonl"}, too_large))
        == "action_bytes_max");
}

TEST_CASE("under virtual time large values give the same log each time") {
  const scratch_folder at;
  for (const auto* name : {"one.jsonl", "two.jsonl"}) {
    large_action what{.arguments = text_of_size(100'000),
                      .output = text_of_size(300'000)};
    CHECK(last_said(run_once({.log = at / name, .seed = 3}, what)) == "done");
    CHECK(audited(at / name).named() == 2);
  }
  CHECK(read_bytes(at / "one.jsonl") == read_bytes(at / "two.jsonl"));
}
