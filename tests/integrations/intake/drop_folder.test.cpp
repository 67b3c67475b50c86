#include <catch2/catch.hpp>
#include <convene/integrations/intake/drop_folder.hpp>
#include <runtime/log/event_log/files.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace convene::tests;
using Catch::Contains;
using convene::host::drop_folder;
using convene::host::incoming;
using convene::protocol::result;
namespace fs = std::filesystem;

namespace {

std::string tool(const std::string& name) {
  return R"({"event_id":"00000000-0000-4000-8000-000000000001","event_type":"tool_execution","event_family":"external_integration","timestamp":"2026-01-01T00:00:00.000Z","source":"s","payload":{"tool_id":")"
         + name
         + R"(","tool_kind":"linter","invocation_id":"00000000-0000-4000-8000-000000000002","status":"running"}})"
         + '\n';
}

/// A drop folder and the tools whose events were taken.
struct drop_fixture {
  scratch_folder scratch;
  fs::path folder = scratch / "inbox";
  drop_folder drop = open();
  std::vector<std::string> taken;

  drop_folder open() const {
    fs::create_directories(folder);
    return drop_folder::open(folder, "inbox-test").value();
  }

  result<void> read() {
    return drop.read(
      [this](const incoming& what) -> result<void> {
        taken.emplace_back(
          what.event.at("payload").at("tool_id").as_string().c_str());
        return {};
      },
      [] { return result<void>{}; });
  }
};

} // namespace

TEST_CASE("a file that gets the name of one that is being read is read too") {
  drop_fixture at;
  write_bytes(at.folder / "a.jsonl", tool("first"));
  std::vector<std::string> taken;
  const auto read = [&](const std::string& meanwhile) {
    REQUIRE(at.drop.read(
      [&](const incoming& what) -> result<void> {
        taken.emplace_back(
          what.event.at("payload").at("tool_id").as_string().c_str());
        if (!meanwhile.empty()) {
          write_bytes(at.folder / ".a", meanwhile);
          fs::rename(at.folder / ".a", at.folder / "a.jsonl");
        }
        return {};
      },
      [] { return result<void>{}; }));
  };
  read(tool("second"));
  read("");
  CHECK(taken == std::vector<std::string>{"first", "second"});
  CHECK(fs::is_empty(at.folder));
}

TEST_CASE("a file that was being read when the program was killed goes first") {
  drop_fixture at;
  write_bytes(at.folder / "a.jsonl", tool("later"));
  write_bytes(at.folder / ".taken-b.jsonl", tool("before") + "no JSON\n");
  REQUIRE(at.read());
  CHECK(at.taken == std::vector<std::string>{"before", "later"});
  CHECK_THAT(read_bytes(at.folder / "refused" / "b.jsonl"),
             Contains("no JSON"));
  CHECK_FALSE(fs::exists(at.folder / ".taken-b.jsonl"));
}

TEST_CASE("a file whose events could not be kept is read again") {
  drop_fixture at;
  write_bytes(at.folder / "a.jsonl", tool("one"));
  CHECK_FALSE(at.drop.read([](const incoming&) { return result<void>{}; },
                           []() -> result<void> {
                             return convene::protocol::fail(
                               convene::protocol::errc::io_failed,
                               "the disk is full");
                           }));
  REQUIRE(at.read());
  CHECK(at.taken == std::vector<std::string>{"one"});
}

TEST_CASE("a link called refused leads nowhere") {
  drop_fixture at;
  const auto victim = at.scratch / "victim";
  fs::create_directories(victim);
  fs::create_directory_symlink(victim, at.folder / "refused");
  write_bytes(at.folder / "settings.json", "{bad\n");
  const auto done = at.read();
  REQUIRE_FALSE(done);
  CHECK_THAT(to_string(done.error()), Contains("refused"));
  CHECK(fs::is_empty(victim));
  fs::remove(at.folder / "refused");
  REQUIRE(at.read());
  CHECK_THAT(read_bytes(at.folder / "refused" / "settings.json"),
             Contains("{bad"));
}

TEST_CASE("of too many refused lines the file is kept, and the rest counts") {
  drop_fixture at;
  std::string text;
  for (int i = 0; i < 2'000; ++i)
    text += "x\n";
  text += tool("last");
  for (const auto* kept : {"a.jsonl.whole", "a.jsonl.whole.2"}) {
    write_bytes(at.folder / "a.jsonl", text);
    REQUIRE(at.read());
    CHECK(read_bytes(at.folder / "refused" / kept) == text);
  }
  CHECK(at.taken == std::vector<std::string>{"last", "last"});
  CHECK(at.drop.done().refused == 4'000);
  const auto reasons = read_bytes(at.folder / "refused" / "a.jsonl");
  CHECK(std::ranges::count(reasons, '\n') == 2 * 1'001);
  CHECK_THAT(reasons, Contains("refusals_max"));
}

TEST_CASE(
  "a refused line that is too long to be repeated is kept in its file") {
  drop_fixture at;
  const std::string text(200'000, 'x');
  write_bytes(at.folder / "a.jsonl", text);
  REQUIRE(at.read());
  CHECK(read_bytes(at.folder / "refused" / "a.jsonl.whole") == text);
  CHECK(fs::file_size(at.folder / "refused" / "a.jsonl") < 100'000);
}

TEST_CASE("of too many dropped files the first ones by name are taken first") {
  drop_fixture at;
  const auto name = [](std::size_t n) {
    return std::to_string(100'000 + n) + ".jsonl";
  };
  constexpr std::size_t more = 3;
  for (std::size_t i = 0; i < convene::host::drop_files_max + more; ++i)
    write_bytes(at.folder / name(i), "");
  REQUIRE(at.read());
  std::vector<std::string> left;
  for (const auto& each : fs::directory_iterator{at.folder})
    left.push_back(each.path().filename().string());
  std::ranges::sort(left);
  CHECK(left
        == std::vector<std::string>{name(10'000), name(10'001), name(10'002)});
}

TEST_CASE("a payload without an envelope gets one, however it is laid out") {
  const std::string published = R"({
    "$comment": "a published example",
    "tool_id": "eslint-v8.54.0",
    "tool_kind": "linter",
    "invocation_id": "550e8400-e29b-41d4-a716-446655440000",
    "status": "succeeded",
    "started_at": "2025-11-30T10:00:00.000Z",
    "completed_at": "2025-11-30T10:00:05.500Z",
    "exit_code": 0,
    "args": ["--config", ".eslintrc.json"]
})";
  drop_fixture at;
  write_bytes(at.folder / "a.json", published);
  auto line = published;
  std::erase(line, '\n');
  write_bytes(at.folder / "b.jsonl", line + '\n' + tool("enveloped"));
  std::vector<boost::json::object> events;
  REQUIRE(at.drop.read(
    [&](const incoming& what) -> result<void> {
      events.push_back(what.event);
      return {};
    },
    [] { return result<void>{}; }));
  CHECK(at.drop.done().refused == 0);
  REQUIRE(events.size() == 3);
  for (const auto& each : {events[0], events[1]}) {
    CHECK(each.at("source") == "inbox-test");
    CHECK(each.at("event_type") == "tool_execution");
    CHECK_FALSE(each.at("payload").as_object().contains("$comment"));
  }
  CHECK(events[2].at("source") == "s");
}

TEST_CASE("what is none of the integration events, or could be two, has no "
          "envelope") {
  drop_fixture at;
  write_bytes(at.folder / "a.jsonl", R"({"file_path":"a","tool_id":"b"})"
                                     "\n"
                                     R"({"name":"x"})"
                                     "\n");
  write_bytes(at.folder / "b.json", "{\n \"tool_id\": 1\n}\n");
  REQUIRE(at.read());
  CHECK(at.taken.empty());
  CHECK(at.drop.done().refused == 3);
}
