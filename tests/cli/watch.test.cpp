// `convene watch`: what happens outside, as events.

#include "run_fixture.hpp"

#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <git2.h>
#include <integrations/git/made_repository.hpp>

#include <chrono>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

using namespace convene::tests;
using Catch::Contains;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

std::string ci(const std::string& run, const std::string& source = "ci-v1") {
  return R"({"event_id":"00000000-0000-4000-8000-000000000001","event_type":"ci_pipeline","event_family":"external_integration","timestamp":"2026-01-01T00:00:00.000Z","source":")"
         + source
         + R"(","payload":{"ci_provider":"ci","pipeline_id":"main","run_id":")"
         + run + R"(","status":"failed"}})" + '\n';
}

struct watch_fixture {
  scratch_folder folder;
  std::string drop = (folder / "drop").string();
  std::string log = (folder / "outside.jsonl").string();

  watch_fixture() {
    fs::create_directories(drop);
  }

  void put(const std::string& name, const std::string& text) const {
    write_bytes(drop + "/." + name, text);
    fs::rename(drop + "/." + name, drop + "/" + name);
  }

  [[nodiscard]] finished once() const {
    return run({"watch", "--drop", drop, "--log", log, "--once", "--json"});
  }

  [[nodiscard]] std::vector<json::object> events() const {
    std::vector<json::object> all;
    std::istringstream lines{fs::exists(log) ? read_bytes(log) : ""};
    for (std::string line; std::getline(lines, line);) {
      if (lines.eof()) // without its end: it is being written
        break;
      all.push_back(convene::protocol::parse_json(line).value().as_object());
    }
    return all;
  }
};

/// Waits for something that another process does.
template <class Condition>
void wait_until(const Condition& condition) {
  const auto last = std::chrono::steady_clock::now() + std::chrono::minutes{4};
  while (!condition()) {
    if (std::chrono::steady_clock::now() > last)
      FAIL("it did not happen within minutes");
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  }
}

std::int64_t count_in(const finished& of, const char* name) {
  return convene::protocol::parse_json(of.out)
    .value()
    .at(name)
    .to_number<std::int64_t>();
}

} // namespace

TEST_CASE("events that are dropped are written once, and their files removed") {
  const watch_fixture at;
  at.put("a.jsonl", ci("1") + ci("2"));
  at.put("b.jsonl", ci("2") + ci("3"));
  const auto first = at.once();
  INFO(first.out << first.err);
  CHECK(first.code == 0);
  CHECK(at.events().size() == 3);
  CHECK(count_in(first, "duplicates") == 1);
  CHECK(fs::is_empty(at.drop));
  at.put("c.jsonl", ci("1") + ci("4"));
  CHECK(at.once().code == 0);
  CHECK(at.events().size() == 4);
  CHECK(run({"validate", at.log}).code == 0);
}

TEST_CASE("what is wrong is set aside with its reason, and the rest counts") {
  const watch_fixture at;
  at.put("a.jsonl", ci("1") + "no JSON\n" + ci("2", "") + ci("3"));
  const auto done = at.once();
  CHECK(done.code == 1);
  CHECK(count_in(done, "refused") == 2);
  CHECK(at.events().size() == 2);
  CHECK_FALSE(fs::exists(at.drop + "/a.jsonl"));
  const auto refused = read_bytes(at.drop + "/refused/a.jsonl");
  CHECK_THAT(refused, Contains(R"("line":2)") && Contains("no JSON")
                        && Contains(R"("rule":"source")"));
}

TEST_CASE("links and hidden files and files of other names are left alone") {
  const watch_fixture at;
  write_bytes(at.folder / "elsewhere.jsonl", ci("1"));
  fs::create_symlink(at.folder / "elsewhere.jsonl", at.drop + "/link.jsonl");
  write_bytes(at.drop + "/.hidden.jsonl", ci("2"));
  write_bytes(at.drop + "/part.tmp", ci("3"));
  CHECK(at.once().code == 0);
  CHECK(at.events().empty());
  CHECK(fs::exists(at.folder / "elsewhere.jsonl"));
}

TEST_CASE("a log of something else and a missing folder are refused") {
  const watch_fixture at;
  write_bytes(at.log, "notes\n");
  CHECK(at.once().code == 2);
  CHECK(read_bytes(at.log) == "notes\n");
  const auto log = (at.folder / "other.jsonl").string();
  CHECK(run({"watch", "--drop", at.drop + "/none", "--log", log, "--once"}).code
        == 2);
  CHECK(run({"watch", "--log", log}).code == 2);
  CHECK(run({"watch", "--log", log, "--files", at.drop, "--once"}).code == 2);
  CHECK(run({"watch", "--log", log, "--drop", at.drop, "--once", "--source",
             std::string(201, 'x')})
          .code
        == 2);
}

TEST_CASE("a log whose last line only lacks its end loses nothing") {
  const watch_fixture at;
  auto line = ci("1");
  line.pop_back();
  write_bytes(at.log, line);
  at.put("a.jsonl", ci("1") + ci("2"));
  const auto done = at.once();
  INFO(done.out << done.err);
  CHECK(done.code == 0);
  CHECK(count_in(done, "duplicates") == 1);
  CHECK(at.events().size() == 2);
}

TEST_CASE("a log whose only line is of something else is refused as it is") {
  const watch_fixture at;
  const std::string line = R"({"event_id":"not an event"})";
  write_bytes(at.log, line);
  CHECK(at.once().code == 2);
  CHECK(read_bytes(at.log) == line);
}

TEST_CASE("a log that another watch writes is refused") {
  const watch_fixture at;
  const program watch{
    {"watch", "--drop", at.drop, "--log", at.log, "--poll-ms", "20"}};
  at.put("a.jsonl", ci("1"));
  wait_until([&] {
    return fs::exists(at.log)
           && read_bytes(at.log).find("run_id") != std::string::npos;
  });
  const auto other = at.once();
  CHECK(other.code == 2);
  CHECK_THAT(other.out + other.err, Contains("line_file_locked"));
}

// A repository is read by a child that is forked. Under GCC 12's address
// sanitizer it may hang at its first allocation for ever: another thread had
// the lock of the allocator, which, unlike libc's, is not taken for the fork.
#if !defined(__SANITIZE_ADDRESS__)

TEST_CASE("a repository that is away for a while keeps nothing else out") {
  const watch_fixture at;
  const made_repository repository;
  repository.put("a.txt", "one");
  static_cast<void>(repository.commit_all());
  const auto root = repository.root().string();
  const auto work = at.folder / "work";
  fs::create_directories(work);
  program watch{{"watch", "--files", work.string(), "--git", root, "--log",
                 at.log, "--poll-ms", "20"}};
  int n = 0;
  const auto tells = [&](const std::string& name) {
    wait_until([&] {
      write_bytes(work / (name + std::to_string(++n)), "x");
      return fs::exists(at.log)
             && read_bytes(at.log).find(name) != std::string::npos;
    });
  };
  tells("before");
  fs::rename(root, root + ".away");
  tells("meanwhile");
  tells("later"); // so that the repository was looked for in between
  fs::rename(root + ".away", root);
  repository.put("a.txt", "two");
  const auto commit = repository.commit_all();
  wait_until(
    [&] { return read_bytes(at.log).find(commit) != std::string::npos; });
  watch.signal(SIGTERM);
  const auto done = watch.wait();
  CHECK(done.code == 128 + SIGTERM);
  INFO(done.err);
  const auto note = done.err.find("told of once");
  REQUIRE(note != std::string::npos);
  CHECK(done.err.find("told of once", note + 1) == std::string::npos);
}

#endif

TEST_CASE("a watch does not tell of its own log and of what is dropped") {
  const watch_fixture at;
  const auto root = at.folder.path().string();
  program watch{{"watch", "--files", root, "--drop", at.drop, "--log", at.log,
                 "--poll-ms", "20"}};
  int n = 0;
  const auto watches = [&](const std::string& name) {
    wait_until([&] {
      write_bytes(at.folder / (name + std::to_string(++n)).c_str(), "x");
      return fs::exists(at.log)
             && read_bytes(at.log).find(name) != std::string::npos;
    });
  };
  watches("first");
  at.put("ci.jsonl", ci("1"));
  wait_until([&] { return !fs::exists(at.drop + "/ci.jsonl"); });
  watches("second");
  watch.signal(SIGTERM);
  CHECK(watch.wait().code == 128 + SIGTERM);
  const auto told = read_bytes(at.log);
  CHECK(told.find(R"("file_path":"outside.jsonl")") == std::string::npos);
  CHECK(told.find(R"("file_path":"drop/)") == std::string::npos);
}

// As above.
#if !defined(__SANITIZE_ADDRESS__)

TEST_CASE("files and a repository are watched until a signal") {
  const watch_fixture at;
  const made_repository repository;
  repository.put("a.txt", "one");
  repository.stage();
  static_cast<void>(repository.commit());
  const auto root = repository.root().string();
  program watch{{"watch", "--files", root, "--git", root, "--drop", at.drop,
                 "--log", at.log, "--poll-ms", "20"}};
  const auto has = [&](const std::string& text) {
    return fs::exists(at.log)
           && read_bytes(at.log).find(text) != std::string::npos;
  };
  // Only once it watches does it see what is new.
  int n = 0;
  wait_until([&] {
    repository.put("probe" + std::to_string(++n), "x");
    return has("probe");
  });
  repository.put("a.txt", "two");
  wait_until(
    [&] { return has(R"("file_path":"a.txt","change_type":"modified")"); });
  repository.stage();
  const std::string step = "550e8400-e29b-41d4-a716-446655440002";
  const auto commit
    = repository.commit("Change it\n\nConvene-Step: " + step + '\n');
  wait_until([&] { return has(commit); });
  repository.remove("a.txt");
  wait_until(
    [&] { return has(R"("file_path":"a.txt","change_type":"deleted")"); });
  at.put("ci.jsonl", ci("1"));
  wait_until([&] { return has("ci_pipeline"); });
  watch.signal(SIGTERM);
  CHECK(watch.wait().code == 128 + SIGTERM);
  for (const auto& each : at.events())
    if (convene::protocol::text_of(each, "event_type") == "git_operation") {
      CHECK(each.at("payload").at("event_kind") == "commit");
      CHECK(each.at("made_by").at("step_id").as_string() == step);
    }
  CHECK(run({"validate", at.log}).code == 0);
}

#endif
