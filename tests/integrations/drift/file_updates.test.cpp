#include <catch2/catch.hpp>
#include <convene/integrations/drift/file_updates.hpp>
#include <fmt/format.h>
#include <runtime/log/event_log/files.hpp>
#include <support/dice.hpp>

#include <algorithm>
#include <random>

using namespace convene::host;
using namespace convene::tests;
using convene::test::dice;

namespace {

std::string update(const std::string& path, int second,
                   const std::string& more = "") {
  return R"({"event_id":"0123abcd-4567-4abc-89de-f0123456789a",)"
         R"("event_type":"file_update","event_family":"external_integration",)"
         R"("timestamp":"2026-01-01T00:00:00Z","source":"an-editor-v1.2",)"
         R"("payload":{"file_path":")"
         + path + R"(","change_type":"modified","timestamp":"2026-01-01T00:)"
         + fmt::format("{:02}:{:02}", second / 60, second % 60) + R"(Z")" + more
         + "}}";
}

std::string replaced(std::string text, const std::string& from,
                     const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != text.npos);
  return text.replace(at, from.size(), to);
}

std::string rule_of(const std::string& line) {
  file_updates to;
  take_line(to, line, 1);
  CHECK(to.refused == to.errors.size());
  CHECK((to.refused == 0 || to.latest.empty()));
  return to.errors.empty() ? "" : to.errors.front().rule;
}

} // namespace

TEST_CASE("an event of a file says which one, and when") {
  file_updates to;
  take_line(to, update("src/a.cpp", 7), 1);
  take_line(to, update("b", 8, R"(,"previous_path":"old/b")"), 2);
  CHECK(to.errors.empty());
  CHECK(to.taken == 2);
  REQUIRE(to.latest.size() == 3);
  CHECK(to.latest.at("src/a.cpp") + 1'000 == to.latest.at("b"));
  CHECK(to.latest.at("old/b") == to.latest.at("b"));
  // Of several, the latest counts, whichever comes last.
  take_line(to, update("src/a.cpp", 9), 3);
  take_line(to, update("src/a.cpp", 3), 4);
  CHECK(to.latest.at("src/a.cpp") == to.latest.at("b") + 1'000);
}

TEST_CASE("an event without a source, or that is not valid, is refused") {
  const auto good = update("a", 1);
  CHECK(rule_of(good).empty());
  CHECK(rule_of(replaced(good, R"("source":"an-editor-v1.2",)", ""))
        == "source");
  CHECK(rule_of(replaced(good, "an-editor-v1.2", "")) == "source");
  CHECK(rule_of(replaced(good, R"("an-editor-v1.2")", "7")) == "source");
  // The integration event alone cannot name one.
  const auto bare = good.substr(good.find(R"({"file_path")"));
  CHECK(rule_of(bare.substr(0, bare.size() - 1)) == "source");
  CHECK(rule_of(replaced(good, "0123abcd-4567", "no-uuid")) != "");
  CHECK(rule_of(replaced(good, "\"modified\"", "\"saved\"")) == "enum");
  CHECK(rule_of(replaced(good, "\"change_type\"", "\"change_kind\"")) != "");
  CHECK(rule_of(update("a", 1, R"(,"old_path":"b")")) != "");
  CHECK(rule_of(replaced(good, "2026-01-01T00:00:01Z", "yesterday"))
        == "format");
  CHECK(rule_of(replaced(good, "\"payload\"", "\"load\"")) == "required");
  CHECK_FALSE(rule_of("{").empty());
  CHECK_FALSE(rule_of("7").empty());
}

TEST_CASE("an event of a path that is none below a folder is refused") {
  for (const auto* path :
       {"../a", "/etc/passwd", "a/../../b", "./a", "a//b", "a\\u0000b"})
    CHECK(rule_of(update(path, 1)) == "path");
  CHECK(rule_of(update("a", 1, R"(,"previous_path":"../b")")) == "path");
  CHECK(rule_of(update("../a", 1, R"(,"previous_path":"b")")) == "path");
}

TEST_CASE("events of other types are passed over") {
  file_updates to;
  take_line(to, replaced(update("a", 1), "file_update", "ci_pipeline"), 1);
  take_line(to, replaced(update("a", 1), "external_integration", "intent"), 2);
  take_line(to, "  \r", 3);
  CHECK(to.passed_over == 2);
  CHECK(to.refused == 0);
  CHECK(to.latest.empty());
}

TEST_CASE("duplicates and disorder of many events change nothing") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  dice random{seed};
  std::vector<std::string> lines;
  for (int i = 0; i < 10'000; ++i)
    lines.push_back(update(fmt::format("src/{}", random.below(50)),
                           static_cast<int>(random.below(3'000))));
  file_updates once;
  for (const auto& line : lines)
    take_line(once, line, 1);
  CHECK(once.latest.size() == 50);
  for (auto left = lines.size(); left > 1; --left)
    std::swap(lines[left - 1], lines[random.below(left)]);
  file_updates again;
  for (const auto& line : lines)
    for (int twice = 0; twice < 2; ++twice)
      take_line(again, line, 1);
  CHECK(again.latest == once.latest);
}

TEST_CASE("a line without end is one error, and the next line counts") {
  const scratch_folder scratch;
  const auto file = scratch / "events.jsonl";
  write_bytes(file, update("a", 1) + '\n' + std::string(3 << 20, '{') + '\n'
                      + update("b", 2));
  const auto read = read_file_updates(file);
  REQUIRE(read);
  CHECK(read->latest.size() == 2);
  REQUIRE(read->errors.size() == 1);
  CHECK(read->errors.front().rule == "event_bytes_max");
  CHECK(read->errors.front().line == 2);
  CHECK(read->errors.front().file == file.string());
  std::string many;
  for (std::size_t i = 0; i < 2 * event_errors_kept; ++i)
    many += "nothing\n";
  write_bytes(file, many);
  CHECK(read_file_updates(file)->refused == 2 * event_errors_kept);
  CHECK(read_file_updates(file)->errors.size() == event_errors_kept);
  CHECK_FALSE(read_file_updates(scratch / "none"));
  CHECK_FALSE(read_file_updates(scratch.path()));
}
