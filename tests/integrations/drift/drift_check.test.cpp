#include <catch2/catch.hpp>
#include <convene/integrations/drift/drift_check.hpp>
#include <convene/integrations/drift/drift_log.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <runtime/log/event_log/files.hpp>
#include <support/dice.hpp>

#include <algorithm>
#include <random>

using namespace convene::host;
using namespace convene::protocol;
using namespace convene::tests;
using Catch::Contains;
using convene::test::dice;
namespace fs = std::filesystem;

namespace {

using contents = std::map<std::string, std::string>;

tracked_files tracks(const contents& files) {
  tracked_files made;
  for (const auto& [path, text] : files)
    made.artifacts.push_back(
      {.path = path,
       .expected
       = {.exists = true, .sha256 = hex_of(sha256(text)), .bytes = text.size()},
       .at = 1});
  return made;
}

void put(const fs::path& root, const contents& files) {
  for (const auto& [path, text] : files) {
    fs::create_directories((root / path).parent_path());
    write_bytes(root / path, text);
  }
}

/// What a comparison of the contents says, a word for each path.
contents plainly(const contents& expected, const contents& actual, bool whole) {
  contents made;
  for (const auto& [path, text] : expected) {
    const auto found = actual.find(path);
    if (found == actual.end())
      made[path] = "deleted";
    else if (found->second != text)
      made[path] = "modified";
  }
  for (const auto& [path, text] : actual)
    if (whole && !expected.contains(path))
      made[path] = "added";
  return made;
}

contents types_in(const drift_book& book) {
  contents made;
  for (const auto& [path, record] : book.open())
    made[path] = to_word(record.type);
  return made;
}

void nobody(drift_change, const drift_record&) {
  // nop
}

} // namespace

TEST_CASE("records after random edits are those of a plain comparison") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  dice random{seed};
  const std::vector<std::string> paths{"a", "b", "c/d", "c/e", "c/f/g", "h"};
  for (int round = 0; round < 20; ++round) {
    const scratch_folder scratch;
    const auto root = scratch / "project";
    fs::create_directories(root);
    contents actual;
    for (const auto& path : paths)
      if (random.chance(60))
        actual[path] = std::string(random.below(5), 'x');
    put(root, actual);
    const auto expected = actual;
    const bool whole = random.chance(50);
    const auto log = scratch / "drift.jsonl";
    for (int step = 0; step < 6; ++step) {
      for (auto edits = random.below(4); edits > 0; --edits) {
        const auto& path = random.one_of(paths);
        if (random.chance(40)) {
          actual.erase(path);
          fs::remove(root / path);
        } else {
          actual[path] = std::string(random.below(5), 'x');
          put(root, {{path, actual[path]}});
        }
      }
      // A new process each time, which knows what was told from the log alone.
      std::vector<std::pair<drift_change, drift_record>> told;
      drift_check check{project_folder::open(root).value(),
                        tracks(expected),
                        {.whole = whole},
                        [&](auto how, const auto& record) {
                          told.emplace_back(how, record);
                        }};
      auto to = drift_log::open(log, check.book());
      REQUIRE(to);
      const auto before = types_in(check.book());
      REQUIRE(check.look_at_all(2));
      CHECK(check.errors().empty());
      const auto after = plainly(expected, actual, whole);
      CHECK(types_in(check.book()) == after);
      for (const auto& [how, record] : told) {
        CHECK((how == drift_change::resolved) == !after.contains(record.path));
        CHECK((how == drift_change::detected) == !before.contains(record.path));
        REQUIRE(to->append(how, record, 2));
      }
      for (const auto& [path, word] : after)
        if (!before.contains(path))
          CHECK(std::ranges::any_of(told, [&](const auto& each) {
            return each.second.path == path;
          }));
      const auto count = told.size();
      REQUIRE(check.look_at_all(2));
      CHECK(told.size() == count);
    }
  }
}

TEST_CASE("one file that cannot be looked at does not hide the others") {
  const scratch_folder scratch;
  const auto root = scratch / "project";
  const contents files{{"a", "1"}, {"b", "2"}, {"c", "3"}};
  put(root, files);
  fs::remove(root / "a");
  fs::create_symlink("b", root / "a");
  write_bytes(root / "b", "changed");
  drift_check check{
    project_folder::open(root).value(), tracks(files), {}, nobody};
  REQUIRE(check.look_at_all(2));
  CHECK(types_in(check.book()) == contents{{"b", "modified"}});
  REQUIRE(check.errors().size() == 1);
  CHECK_THAT(to_string(check.errors().at("a")), Contains("project/a"));
  CHECK(check.compared() == 3);
  fs::remove(root / "a");
  write_bytes(root / "a", "1");
  check.look_at("a", 3);
  CHECK(check.errors().empty());
}

TEST_CASE("touching a file is no drift, and neither is what nobody tracks") {
  const scratch_folder scratch;
  const auto root = scratch / "project";
  const contents files{{"a", "1"}, {"b/c", "2"}};
  put(root, files);
  put(root, {{"other", "x"}, {"b/other", "x"}});
  fs::last_write_time(root / "a", fs::file_time_type::clock::now());
  drift_check check{
    project_folder::open(root).value(), tracks(files), {}, nobody};
  REQUIRE(check.look_at_all(2));
  CHECK(check.book().open().empty());
  check.look_at("other", 3);
  CHECK(check.book().open().empty());
  CHECK(check.folders() == std::set<std::string>{"", "b"});
  drift_check all{project_folder::open(root).value(),
                  tracks(files),
                  {.whole = true, .ignored = {"other"}},
                  nobody};
  REQUIRE(all.look_at_all(2));
  CHECK(types_in(all.book()) == contents{{"b/other", "added"}});
}

TEST_CASE("a look for an older reason changes nothing") {
  const scratch_folder scratch;
  const auto root = scratch / "project";
  put(root, {{"a", "changed"}});
  drift_check check{
    project_folder::open(root).value(), tracks({{"a", "1"}}), {}, nobody};
  check.look_at("a", 0);
  CHECK(check.book().open().empty());
  CHECK(check.outdated() == 1);
  check.look_at("a", 1);
  CHECK(check.book().open().size() == 1);
}

TEST_CASE("a drift log that a crash has torn is continued") {
  const scratch_folder scratch;
  const auto file = scratch / "drift.jsonl";
  const drift_record record{.type = drift_type::added,
                            .path = "a",
                            .actual = {.exists = true,
                                       .sha256 = std::string(64, '0')},
                            .at = 5};
  {
    drift_book book;
    auto log = drift_log::open(file, book);
    REQUIRE(log);
    REQUIRE(log->append(drift_change::detected, record, 6));
  }
  append_bytes(file, R"({"event_id": "half)");
  for (int again = 0; again < 2; ++again) {
    drift_book book;
    REQUIRE(drift_log::open(file, book));
    CHECK(book.open().at("a") == record);
  }
  {
    drift_book book;
    auto log = drift_log::open(file, book);
    REQUIRE(log->append(drift_change::resolved, record, 7));
  }
  drift_book book;
  REQUIRE(drift_log::open(file, book));
  CHECK(book.open().empty());
}

TEST_CASE("a drift log with a line that is none is refused by its number") {
  const scratch_folder scratch;
  const auto file = scratch / "drift.jsonl";
  drift_book book;
  write_bytes(file, "{\"event_type\": \"other\"}\n{\"event_type\": }\n");
  const auto log = drift_log::open(file, book);
  REQUIRE_FALSE(log);
  CHECK(log.error().line == 2);
  write_bytes(file, R"({"event_type": "drift_detected", "payload": {
                        "drift_type": "added", "path": "../a"}})"
                    "\n");
  CHECK_FALSE(drift_log::open(file, book));
  CHECK_FALSE(drift_log::open(scratch.path(), book));
}
