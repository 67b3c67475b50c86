#include <catch2/catch.hpp>
#include <convene/protocol/drift/drift.hpp>
#include <support/dice.hpp>

#include <algorithm>
#include <random>

using namespace convene::protocol;
using convene::test::dice;

namespace {

file_state holds(const std::string& text) {
  return {.exists = true,
          .sha256 = std::string(64, text.empty() ? '0' : text.front()),
          .bytes = text.size()};
}

artifact known(std::string path, file_state expected, timestamp_ms at = 10) {
  return {.path = std::move(path),
          .node = "resource:c/file/x",
          .expected = std::move(expected),
          .at = at};
}

std::uint32_t random_seed() {
  const auto seed = std::random_device{}();
  UNSCOPED_INFO("seed " << seed);
  return seed;
}

} // namespace

TEST_CASE("a file that is changed, gone or new is one open record") {
  drift_book book;
  book.track(known("a", holds("a")));
  book.track(known("b", holds("b")));
  book.track(known("c", {}));
  CHECK(book.observe({"a", holds("x"), 20}) == drift_change::detected);
  CHECK(book.observe({"b", {}, 20}) == drift_change::detected);
  CHECK(book.observe({"c", holds("c"), 20}) == drift_change::detected);
  CHECK(book.observe({"d", holds("d"), 20}) == drift_change::detected);
  REQUIRE(book.open().size() == 4);
  CHECK(book.open().find("a")->second
        == drift_record{.type = drift_type::modified,
                        .path = "a",
                        .node = "resource:c/file/x",
                        .expected = holds("a"),
                        .actual = holds("x"),
                        .at = 20});
  CHECK(book.open().find("b")->second.type == drift_type::deleted);
  CHECK(book.open().find("c")->second.type == drift_type::added);
  CHECK(book.open().find("d")->second.type == drift_type::added);
  CHECK(book.open().find("d")->second.node.empty());
}

TEST_CASE("two drifts of one file are one record, closed when both agree") {
  drift_book book;
  book.track(known("a", holds("a")));
  CHECK(book.observe({"a", holds("x"), 20}) == drift_change::detected);
  CHECK(book.observe({"a", holds("x"), 21}) == drift_change::none);
  CHECK(book.open().find("a")->second.at == 21);
  CHECK(book.observe({"a", {}, 22}) == drift_change::changed);
  CHECK(book.open().size() == 1);
  CHECK(book.open().find("a")->second.type == drift_type::deleted);
  CHECK(book.observe({"a", holds("a"), 23}) == drift_change::resolved);
  CHECK(book.open().empty());
  CHECK(book.closed().type == drift_type::deleted);
  CHECK(book.observe({"a", holds("a"), 24}) == drift_change::none);
}

TEST_CASE("what is older than what is known overwrites nothing") {
  drift_book book;
  book.track(known("a", holds("a"), 10));
  CHECK(book.observe({"a", holds("x"), 9}) == drift_change::outdated);
  CHECK(book.open().empty());
  CHECK(book.observe({"a", holds("x"), 20}) == drift_change::detected);
  CHECK(book.observe({"a", holds("a"), 19}) == drift_change::outdated);
  CHECK(book.open().size() == 1);
  // What the graph learns later counts from then on.
  book.track(known("a", holds("x"), 30));
  CHECK(book.observe({"a", holds("y"), 29}) == drift_change::outdated);
  CHECK(book.observe({"a", holds("x"), 31}) == drift_change::resolved);
}

TEST_CASE("a record that was open is told once, and closed by the next book") {
  drift_book first;
  first.track(known("a", holds("a")));
  REQUIRE(first.observe({"a", holds("x"), 20}) == drift_change::detected);
  drift_book second;
  second.track(known("a", holds("a")));
  second.restore(first.open().begin()->second);
  CHECK(second.latest() == 20);
  CHECK(second.observe({"a", holds("a"), 19}) == drift_change::outdated);
  CHECK(second.observe({"a", holds("x"), 30}) == drift_change::none);
  CHECK(second.observe({"a", holds("a"), 31}) == drift_change::resolved);
  CHECK(second.open().empty());
}

TEST_CASE("records are those of a plain comparison, whatever the order") {
  dice random{random_seed()};
  const std::vector<std::string> paths{"a", "b", "c", "d/e", "d/f"};
  const std::vector<file_state> states{{}, holds("1"), holds("2"), holds("3")};
  for (int round = 0; round < 500; ++round) {
    std::vector<artifact> artifacts;
    for (const auto& path : paths)
      if (random.chance(70))
        artifacts.push_back(
          known(path, random.one_of(states), random.below(20)));
    std::vector<observation> all;
    for (auto count = random.below(40); count > 0; --count)
      all.push_back(
        {random.one_of(paths), random.one_of(states), random.below(40)});
    // Plainly: per path the last state that was observed since it is known.
    std::map<std::string, std::pair<timestamp_ms, file_state>> last;
    std::map<std::string, file_state> expected;
    std::map<std::string, timestamp_ms> since;
    for (const auto& each : artifacts) {
      expected[each.path] = each.expected;
      since[each.path] = each.at;
    }
    for (const auto& each : all)
      if (!since.contains(each.path) || each.at >= since[each.path]) {
        const std::pair now{each.at, each.actual};
        auto [at, added] = last.emplace(each.path, now);
        at->second = std::max(at->second, now);
      }
    drift_book::record_map wanted;
    for (const auto& [path, seen] : last)
      if (seen.second != expected[path])
        wanted[path] = {.type = !seen.second.exists     ? drift_type::deleted
                                : expected[path].exists ? drift_type::modified
                                                        : drift_type::added,
                        .path = path,
                        .node = since.contains(path) ? "resource:c/file/x" : "",
                        .expected = expected[path],
                        .actual = seen.second,
                        .at = seen.first};
    for (int order = 0; order < 4; ++order) {
      drift_book book;
      for (const auto& each : artifacts)
        book.track(each);
      int open = 0;
      for (const auto& each : all) {
        const auto how = book.observe(each);
        open += how == drift_change::detected ? 1 : 0;
        open -= how == drift_change::resolved ? 1 : 0;
        if (random.chance(20)) {
          const auto again = book.observe(each);
          CHECK(
            (again == drift_change::none || again == drift_change::outdated));
        }
      }
      CHECK(book.open() == wanted);
      CHECK(open == static_cast<int>(wanted.size()));
      for (auto left = all.size(); left > 1; --left)
        std::swap(all[left - 1], all[random.below(left)]);
    }
  }
}

TEST_CASE("a file that was moved is one record, unless it could be another") {
  drift_book book;
  for (const auto* path : {"one", "two", "empty", "many1", "many2"})
    book.track(
      known(path, holds(std::string_view{path} == "empty" ? "" : path)));
  for (const auto* path : {"one", "two", "empty", "many1", "many2"})
    book.observe({path, {}, 20});
  book.observe({"new/one", holds("one"), 20});
  book.observe({"new/two", holds("two!"), 20});
  book.observe({"new/empty", holds(""), 20});
  book.observe({"new/many", holds("many1"), 20});
  const auto records = with_renames(book.open());
  CHECK(records.size() == 8);
  const auto moved = std::ranges::find(records, drift_type::renamed,
                                       &drift_record::type);
  REQUIRE(moved != records.end());
  CHECK(moved->path == "one");
  CHECK(moved->new_path == "new/one");
  CHECK(moved->actual == holds("one"));
  CHECK(std::ranges::count(records, drift_type::renamed, &drift_record::type)
        == 1);
}

TEST_CASE("a path is one of a file below a folder, or it is said why not") {
  for (const auto* path : {"a", "a/b", "..a/b..", "a b/ä", ".git", "a\\b"})
    CHECK(why_not_below(path).empty());
  for (const auto* path : {"", "/", "/etc/passwd", "..", "../a", "a/../b",
                           "a/..", ".", "./a", "a/./b", "a//b", "a/"})
    CHECK_FALSE(why_not_below(path).empty());
  CHECK_FALSE(why_not_below(std::string_view{"a\0b", 3}).empty());
  CHECK_FALSE(why_not_below(std::string(5'000, 'a')).empty());
}
