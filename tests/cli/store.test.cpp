// What `--store` leaves beside the folder of a run.

#include "run_fixture.hpp"

#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/postgres/postgres_connection.hpp>
#include <convene/runtime/data/state_store/awaited.hpp>
#include <convene/runtime/data/state_store/postgres_store.hpp>
#include <convene/runtime/data/state_store/sqlite_store.hpp>
#include <support/postgres/postgres_server.hpp>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

using namespace convene::tests;
using Catch::Contains;
namespace fs = std::filesystem;
namespace host = convene::host;
namespace json = boost::json;

namespace {

/// All entries of a store that was closed, events' keys among them. `where`: a
/// file or a URL.
std::map<std::string, std::string> stored_in(const std::string& where) {
  const auto store = where.starts_with("postgres:")
                       ? host::open_postgres_store(where)
                       : host::open_sqlite_store(where);
  REQUIRE(store);
  std::map<std::string, std::string> all;
  host::state_scan which;
  for (bool more = true; more;) {
    const auto page = host::awaited<host::state_page>(
      [&](auto then) { (*store)->scan(which, std::move(then)); });
    REQUIRE(page);
    for (const auto& [key, value] : page->entries)
      all[which.after = key] = value;
    more = page->more;
  }
  return all;
}

std::size_t count_of(const std::map<std::string, std::string>& all,
                     const std::string& area) {
  return static_cast<std::size_t>(std::ranges::count_if(
    all, [&](const auto& each) { return each.first.starts_with(area); }));
}

json::object read(const std::string& text) {
  return convene::protocol::parse_json(text).value().as_object();
}

/// That the store has the documents in a session's folder.
void check_documents(const std::map<std::string, std::string>& all,
                     const fs::path& folder) {
  int found = 0;
  for (const std::string kind :
       {"context", "plan", "confirm", "collab", "dialog", "trace"}) {
    if (!fs::exists(folder / (kind + ".json")))
      continue;
    const auto document = read(read_bytes(folder / (kind + ".json")));
    const std::string id{document.at(kind + "_id").as_string().c_str()};
    const auto stored = all.find(kind + "s/" + id);
    REQUIRE(stored != all.end());
    CHECK(read(stored->second) == document);
    ++found;
  }
  CHECK(found >= 4);
}

/// The number of events on the log of one session.
std::size_t events_on(const std::string& log) {
  std::istringstream lines{read_bytes(log)};
  std::size_t all = 0;
  for (std::string line; std::getline(lines, line);)
    all += line.starts_with("{\"event_id\"") ? 1 : 0;
  return all;
}

} // namespace

TEST_CASE("a run's store has the documents of its folder and all its events") {
  const scratch_folder folder;
  const auto out = (folder / "out").string();
  const auto db = (folder / "state.db").string();
  const auto scenario = examples_folder + "code-review/scenario.json";
  REQUIRE(run({"run", scenario, "--quiet", "--seed", "7", "--out", out,
               "--store", "sqlite:" + db})
            .code
          == 0);
  const auto all = stored_in(db);
  check_documents(all, out);
  CHECK(count_of(all, "plans/") == 1);
  const auto events = events_on(out + "/events.jsonl");
  CHECK(events > 10);
  CHECK(count_of(all, "events/global/") == events);
  CHECK(count_of(all, "events/trace/") == events);

  // The same session once more: all of it is there.
  REQUIRE(run({"run", scenario, "--quiet", "--seed", "7", "--out", out + "2",
               "--store", "sqlite:" + db})
            .code
          == 0);
  CHECK(stored_in(db) == all);
}

TEST_CASE("a store in PostgreSQL has what one in a file has") {
  if (!postgres_server::is_installed())
    return;
  const scratch_folder folder;
  const scratch_database database;
  const auto db = (folder / "state.db").string();
  const auto scenario = examples_folder + "code-review/scenario.json";
  const auto run_into = [&](const std::string& out, const std::string& store) {
    return run({"run", scenario, "--quiet", "--seed", "7", "--out",
                (folder / out).string(), "--store", store})
      .code;
  };
  REQUIRE(
    run({"run", scenario, "--dry-run", "--quiet", "--store", database.url()})
      .code
    == 0);
  CHECK(host::has_postgres_store(database.url()) == false);
  REQUIRE(run_into("file", "sqlite:" + db) == 0);
  REQUIRE(run_into("database", database.url()) == 0);
  const auto all = stored_in(database.url());
  CHECK(all == stored_in(db));
  CHECK(count_of(all, "events/global/") > 10);
  REQUIRE(run_into("again", database.url()) == 0);
  REQUIRE(
    run({"resume", (folder / "file").string(), "--store", database.url()}).code
    == 0);
  CHECK(stored_in(database.url()) == all);
}

TEST_CASE("an unreachable database is an error that hides its password") {
  const run_fixture at{answers};
  for (const auto& [where, words, code] :
       std::vector<std::tuple<std::string, std::string, int>>{
         {"postgres://ada:secret@[::1/db", "not a valid PostgreSQL URL", 2},
         {"postgress://ada:secret@host/db", "give it as sqlite:FILE", 2},
         {"postgres://ada:secret@127.0.0.1:1/db",
          "postgres://127.0.0.1:1/db: ", 3}}) {
    const auto refused = at.run_with({"--store", where});
    CHECK(refused.code == code);
    CHECK_THAT(refused.err, Contains(words) && !Contains("secret"));
    CHECK_FALSE(fs::exists(at.out));
  }
  const auto dry = at.run_with(
    {"--dry-run", "--store", "postgres://ada:secret@127.0.0.1:1/db"});
  CHECK(dry.code == 3);
  CHECK_THAT(dry.err, Contains("127.0.0.1:1/db: ") && !Contains("secret"));
}

TEST_CASE("later sessions, also many at once, add to a store") {
  const run_fixture at{answers};
  const auto db = (at.folder / "state.db").string();
  REQUIRE(at.run_with({"--store", "sqlite:" + db}).code == 0);
  const auto out = at.out + "-many";
  REQUIRE(run({"run", at.scenario, "--quiet", "--instances", "3", "--out", out,
               "--store", "sqlite:" + db})
            .code
          == 0);
  const auto all = stored_in(db);
  CHECK(count_of(all, "collabs/") == 4);
  check_documents(all, at.out);
  for (const auto& session : fs::directory_iterator{out + "/sessions"})
    check_documents(all, session.path());
}

TEST_CASE("resume stores what a run did not") {
  const run_fixture at{answers};
  const auto db = (at.folder / "state.db").string();
  REQUIRE(at.run_with().code == 0);
  REQUIRE(run({"resume", at.out, "--store", "sqlite:" + db}).code == 0);
  const auto all = stored_in(db);
  check_documents(all, at.out);
  CHECK(count_of(all, "events/global/") == events_on(at.out + "/events.jsonl"));
  REQUIRE(run({"resume", at.out, "--store", "sqlite:" + db}).code == 0);
  CHECK(stored_in(db) == all);
}

TEST_CASE("a single agent's store has the documents of its folder") {
  const scratch_folder folder;
  const auto out = (folder / "out").string();
  const auto db = (folder / "state.db").string();
  const std::string flow = CONVENE_SOURCE_DIR
    "/tests/golden/flows/flow-05-confirm-required/input";
  REQUIRE(run({"run", flow, "--profile", "sa", "--quiet", "--out", out,
               "--store", "sqlite:" + db})
            .code
          == 0);
  const auto all = stored_in(db);
  check_documents(all, out);
  CHECK(count_of(all, "traces/") == 1);
  CHECK(count_of(all, "events/global/")
        == events_on(out + "/session/events.jsonl"));

  // As after a kill between the session's documents and the agent's.
  const auto again = (folder / "again.db").string();
  REQUIRE(run({"resume", out + "/session", "--store", "sqlite:" + again}).code
          == 0);
  CHECK_FALSE(stored_in(again) == all);
  REQUIRE(run({"resume", out, "--store", "sqlite:" + again}).code == 0);
  CHECK(stored_in(again) == all);
}

TEST_CASE("a store that cannot be had is told before anything is created") {
  const run_fixture at{answers};
  const auto note = (at.folder / "note.txt").string();
  write_bytes(note, "not a store");
  for (const auto& [where, words] : std::map<std::string, std::string>{
         {"memory", "give it as sqlite:FILE"},
         {"sqlite:", "give it as sqlite:FILE"},
         {"postgres:x", "give it as sqlite:FILE"},
         {"sqlite:" + note, "note.txt: is not a state store of convene"},
         {"sqlite:/nowhere/state.db", "No such file or directory"}}) {
    const auto refused = at.run_with({"--store", where});
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains(words));
    CHECK_FALSE(fs::exists(at.out));
    if (words.starts_with("give it"))
      CHECK(at.run_with({"--store", where, "--dry-run"}).code == 2);
  }
  CHECK(read_bytes(note) == "not a store");
  const auto db = "sqlite:" + (at.folder / "state.db").string();
  CHECK(at.run_with({"--store", db, "--documents", "none"}).code == 2);
  CHECK_FALSE(fs::exists(at.folder / "state.db"));
}

TEST_CASE("a store that is full ends in a fault, and the run is whole") {
  const run_fixture at{answers};
  const auto db = (at.folder / "state.db").string();
  {
    // Room for the log and for an empty store with its tables.
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{.rlim_cur = 60'000, .rlim_max = before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    const auto full
      = at.run_with({"--set", "session.rounds=30", "--store", "sqlite:" + db});
    ::setrlimit(RLIMIT_FSIZE, &before);
    CHECK(full.code == 3);
    CHECK_THAT(full.err, Contains("state.db") && Contains("--store")
                           && Contains("convene resume"));
  }
  CHECK(run({"check", at.out}).code == 0);
  REQUIRE(run({"resume", at.out, "--store", "sqlite:" + db}).code == 0);
  check_documents(stored_in(db), at.out);
}

TEST_CASE("a store that says something else decides nothing") {
  const run_fixture at{answers};
  const auto db = (at.folder / "state.db").string();
  REQUIRE(at.run_with({"--store", "sqlite:" + db}).code == 0);
  const auto key = stored_in(db).lower_bound("collabs/")->first;
  const auto collab = read_bytes(at.out + "/collab.json");
  auto forged = read(collab);
  forged["status"] = "cancelled";
  {
    const auto store = host::open_sqlite_store(db);
    REQUIRE(store);
    REQUIRE(host::awaited<void>([&](auto then) {
      (*store)->set(key, json::serialize(forged), std::move(then));
    }));
  }
  fs::remove(at.out + "/collab.json");
  fs::remove(at.out + "/result.json");
  const auto refused = run({"resume", at.out, "--store", "sqlite:" + db});
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, Contains("does not replace it") && Contains(key));
  CHECK(stored_in(db).at(key) == json::serialize(forged));
  CHECK(read_bytes(at.out + "/collab.json") == collab);
  CHECK(run({"check", at.out}).code == 0);
}

TEST_CASE("a signal after the end of all sessions suspends none, and says so") {
  if (!postgres_server::is_installed())
    return;
  const scratch_database database;
  const run_fixture at{answers};
  const std::vector<std::string> words{"--store", database.url()};
  REQUIRE(at.run_with(words).code == 0); // makes the tables
  auto in = host::postgres_connection::open({.url = database.url()});
  REQUIRE(in);
  const scratch_folder folder;
  // Storing what the session has left waits for this.
  REQUIRE(in->run("BEGIN; LOCK TABLE convene.state_entry IN SHARE MODE"));
  program running{{"run", at.scenario, "--out", (folder / "out").string(),
                   "--store", database.url()}};
  auto look = host::postgres_connection::open({.url = database.url()});
  REQUIRE(look);
  const auto is_waiting = [&] {
    const auto found = look->query("SELECT count(*) FROM pg_stat_activity "
                                   "WHERE wait_event_type = 'Lock' "
                                   "AND datname = current_database()");
    return found && found->number(0, 0) != 0;
  };
  while (!is_waiting()) {
    REQUIRE_FALSE(running.has_ended());
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  running.signal(SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds{200});
  REQUIRE(in->run("ROLLBACK"));
  const auto done = running.wait();
  CHECK(done.code == 128 + SIGINT);
  CHECK_THAT(done.out, Contains("interrupted; no session was suspended")
                         && !Contains("to resume"));
}
