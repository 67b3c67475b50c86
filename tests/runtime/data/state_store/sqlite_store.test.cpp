// What is particular to the store in a file: it lasts, belongs to one, and may
// be something else.

#include "stores.hpp"

#include <convene/protocol/base/error.hpp>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>

using namespace convene::tests;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

std::unique_ptr<state_store> opened(const fs::path& file) {
  auto made = open_sqlite_store(file);
  if (!made)
    FAIL(to_string(made.error()));
  return *std::move(made);
}

/// The rule of the error of opening a file as a store.
std::string refusal(const fs::path& file) {
  const auto made = open_sqlite_store(file);
  if (made)
    return "";
  CHECK(made.error().file == file.string());
  return made.error().rule;
}

/// A store's file that was closed.
std::string a_store_of(const fs::path& file, int values = 1) {
  const auto store = opened(file);
  for (int n = 0; n < values; ++n)
    CHECK(put(*store, "plans/" + std::to_string(n),
              '"' + std::string(2'000, 'x') + '"')
            .empty());
  return file.string();
}

/// This program, running one of its hidden tests on a file.
class other_process {
public:
  other_process(const char* test, const fs::path& file) {
    ::setenv("CONVENE_STATE_FILE", file.c_str(), 1);
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    out_ = ends[0];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    std::string program = "/proc/self/exe";
    std::string name = test;
    char* arguments[] = {program.data(), name.data(), nullptr};
    REQUIRE(::posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr, arguments,
                          environ)
            == 0);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
  }
  other_process(const other_process&) = delete;
  other_process& operator=(const other_process&) = delete;
  ~other_process() {
    kill();
    ::close(out_);
  }

  /// What it has written by the time that it has `marks`, or has ended.
  std::string read(std::size_t marks) {
    char some[256];
    while (marks_in(said_) < marks) {
      const auto got = ::read(out_, some, sizeof some);
      if (got <= 0)
        break;
      said_.append(some, static_cast<std::size_t>(got));
    }
    return said_;
  }

  static std::size_t marks_in(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count(text, '#'));
  }

  void kill() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    pid_ = -1;
  }

private:
  pid_t pid_ = -1;
  int out_ = -1;
  std::string said_;
};

/// Of the hidden tests, among what Catch reports.
void say(const std::string& what) {
  std::cout << what << std::flush;
}

} // namespace

TEST_CASE("hidden: a process that stores one value after another", "[.]") {
  const auto store = opened(std::getenv("CONVENE_STATE_FILE"));
  for (int n = 0; n < 100'000; ++n) {
    state_transaction both;
    both.set("plans/" + std::to_string(n), "\"" + std::string(300, 'x') + "\"");
    both.append({std::to_string(n), "t", "", "{}"});
    if (!any_store::rule_of<void>([&](auto then) {
           store->commit(both, std::move(then));
         }).empty())
      break;
    say("#"); // it was acknowledged
  }
}

TEST_CASE("hidden: a process that opens a store", "[.]") {
  say("<" + refusal(std::getenv("CONVENE_STATE_FILE")) + ">#");
}

TEST_CASE("what a store in a file has is there when it is opened again") {
  const scratch_folder folder;
  const auto file = folder / "state.db";
  {
    const auto store = opened(file);
    CHECK(put(*store, "plans/1", "1").empty());
    CHECK(any_store::rule_of<void>([&](auto then) {
            store->append({"e-1", "t-1", "", "{}"}, std::move(then));
          }).empty());
    CHECK(any_store::rule_of<void>([&](auto then) {
            store->take_snapshot("one", std::move(then));
          }).empty());
    CHECK(put(*store, "plans/1", "2").empty());
  }
  CHECK_FALSE(fs::exists(file.string() + "-wal"));
  const auto store = opened(file);
  CHECK(get(*store, "plans/1") == "2");
  CHECK(get(*store, "events/trace/t-1/e-1") == "{}");
  CHECK(any_store::rule_of<void>([&](auto then) {
          store->restore("one", std::move(then));
        }).empty());
  CHECK(get(*store, "plans/1") == "1");
}

TEST_CASE("what was acknowledged survives the kill of its process") {
  const scratch_folder folder;
  const auto file = folder / "state.db";
  std::size_t least = 0;
  for (const std::size_t wanted : {1U, 12U, 30U}) {
    fs::remove(file);
    fs::remove(file.string() + "-wal");
    other_process writer{"hidden: a process that stores one value after "
                         "another",
                         file};
    writer.read(wanted);
    writer.kill();
    least = other_process::marks_in(writer.read(~std::size_t{0}));
    REQUIRE(least >= wanted);
    const auto store = opened(file);
    for (std::size_t n = 0; n < least; ++n) {
      CHECK(get(*store, "plans/" + std::to_string(n)).has_value());
      CHECK(get(*store, "events/global/" + std::to_string(n)).has_value());
    }
    // What was not: all of it, or nothing.
    const auto next = std::to_string(least);
    CHECK(get(*store, "plans/" + next).has_value()
          == get(*store, "events/global/" + next).has_value());
    CHECK(put(*store, "plans/after", "1").empty());
  }
}

TEST_CASE("a file belongs to one store at a time") {
  const scratch_folder folder;
  const auto file = folder / "state.db";
  auto store = opened(file);
  CHECK(refusal(file) == "store_locked");
  fs::create_symlink(file, folder / "link.db");
  CHECK(refusal(folder / "link.db") == "store_locked");
  // Being refused has not let go of the first one's lock.
  CHECK_THAT(
    (other_process{"hidden: a process that opens a store", file}.read(1)),
    Contains("<store_locked>"));
  CHECK(put(*store, "plans/1", "1").empty());
  store.reset();
  CHECK_THAT(
    (other_process{"hidden: a process that opens a store", file}.read(1)),
    Contains("<>"));
  CHECK(refusal(file).empty());
}

TEST_CASE("what is no store is refused, and left as it is") {
  const scratch_folder folder;
  const auto file = folder / "state.db";
  const auto good = read_bytes(a_store_of(folder / "good.db"));
  const auto replaced = [&](std::string_view from, std::string_view to) {
    auto bytes = good;
    const auto at = bytes.find(from);
    REQUIRE(at != bytes.npos);
    REQUIRE(from.size() == to.size());
    return bytes.replace(at, to.size(), to);
  };
  const auto with = [&](std::size_t at, char byte) {
    auto bytes = good;
    bytes[at] = byte;
    return bytes;
  };
  const auto [bytes, rule] = GENERATE_COPY(table<std::string, std::string>(
    {{"a note", "store_foreign"},
     {std::string(4'096, '\0'), "store_foreign"},
     {with(68, 'x'), "store_foreign"}, // another program's
     {with(63, 9), "store_version"},
     {good.substr(0, 99), "store_foreign"},
     // What looks like a store, with other tables.
     {replaced("trace_key, value FROM event", "trace_key, event_id FROM ev"),
      "store_foreign"},
     {replaced("INDEX event_by_context ON", "INDEX event_by_contexx ON"),
      "store_damaged"}}));
  write_bytes(file, bytes);
  CHECK(refusal(file) == rule);
  CHECK(read_bytes(file) == bytes);
  CHECK_FALSE(fs::exists(file.string() + "-wal"));
}

TEST_CASE("a damaged store is refused") {
  const scratch_folder folder;
  const auto file = folder / "state.db";
  auto bytes = read_bytes(a_store_of(file, 40));
  REQUIRE(bytes.size() > 30'000);
  SECTION("a page of garbage") {
    const auto page = GENERATE(2U, 5U);
    bytes.replace(page * 4'096, 4'096, std::string(4'096, '\xA5'));
  }
  SECTION("cut off") {
    bytes.resize(bytes.size() - 3 * 4'096);
  }
  write_bytes(file, bytes);
  const auto refused = open_sqlite_store(file);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "store_damaged");
  CHECK(refused.error().file == file.string());
  CHECK_THAT(refused.error().message, Contains("the state store is damaged"));
}

TEST_CASE("what is no file cannot be a store") {
  const scratch_folder folder;
  CHECK(refusal(folder.path()) == "store_io");
  CHECK(refusal(folder / "none/state.db") == "store_io");
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(refusal(folder / "pipe") == "store_foreign");
  CHECK(refusal("/dev/null") == "store_foreign");
  // Names that SQLite would understand in its own way.
  const auto before = fs::current_path();
  fs::current_path(folder.path());
  CHECK(refusal(":memory:").empty());
  CHECK(refusal("file:x.db?mode=memory").empty());
  CHECK(fs::exists(":memory:"));
  CHECK(fs::exists("file:x.db?mode=memory"));
  fs::current_path(before);
  // An empty file becomes a store.
  write_bytes(folder / "empty.db", "");
  CHECK(refusal(folder / "empty.db").empty());
}
