#include "files.hpp"
#include "segment_text.hpp"
#include "session_lines.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/event_log/session_reader.hpp>

using namespace convene::host;
using namespace convene::tests;

namespace {

auto read_session(const std::filesystem::path& path, index_writing writing) {
  return visit_session(
    path, session_number(1),
    [](const log_place&, std::string_view) { return true; }, writing);
}

} // namespace

TEST_CASE("a segment that is lost, torn or another log's is told") {
  const scratch_folder folder;
  std::filesystem::create_directory(folder / "log");
  const auto first = segment_text{}.group("a\n");
  const auto second = segment_text{2, first.crc()}.group("b\n");
  const auto third = segment_text{3, second.crc()}.group("c\n");
  const auto put = [&](const char* name, const std::string& bytes) {
    write_bytes(folder.path() / "log" / name, bytes);
  };
  put("000001.jsonl", first.bytes());
  put("000002.jsonl", second.bytes());
  put("000003.jsonl", third.bytes());
  REQUIRE(read_log(folder.path()));
  if (GENERATE(false, true)) // leaves indexes
    REQUIRE(read_session(folder.path(), index_writing::where_possible));
  std::string file;
  std::string words;
  SECTION("a segment in the middle is gone") {
    std::filesystem::remove(folder / "log/000002.jsonl");
    file = "000003.jsonl";
    words = "segment 2 of the log is missing";
  }
  SECTION("a number is there twice") {
    put("2.jsonl", second.bytes());
    words = "segment 2 of the log is there twice";
  }
  SECTION("a segment is shorter than it was, by whole groups") {
    put("000002.jsonl", second.bytes().substr(0, second.borders()[1]));
    file = "000003.jsonl";
    words = "of the segment before, whose last group has";
  }
  SECTION("a segment in the middle ends inside a group") {
    put("000002.jsonl", second.bytes().substr(0, second.bytes().size() - 1));
    file = "000002.jsonl";
    words = "the segment ends inside a group";
  }
  SECTION("a segment in the middle is empty") {
    put("000002.jsonl", "");
    file = "000002.jsonl";
    words = "the segment ends inside a group";
  }
  SECTION("two have changed places") {
    put("000002.jsonl", third.bytes());
    file = "000002.jsonl";
    words = "log_opened says segment 3";
  }
  const auto read = read_log(folder.path());
  REQUIRE_FALSE(read);
  CHECK(read.error().rule == "log_damaged");
  CHECK_THAT(read.error().file, Catch::EndsWith(file));
  CHECK_THAT(read.error().message, Catch::Contains(words));
  const auto one = read_session(folder.path(), index_writing::never);
  REQUIRE_FALSE(one);
  CHECK(to_string(one.error()) == to_string(read.error()));
}

TEST_CASE("a log cut anywhere is read by session just as it is read whole") {
  const scratch_folder folder;
  std::filesystem::create_directory(folder / "log");
  const auto mine = [](const char* what) {
    return line_of_session(1, what) + '\n';
  };
  const auto first = segment_text{}.group(mine("a")).group(mine("b"));
  const auto second = segment_text{2, first.crc()}.group(mine("c"));
  const auto put = [&](std::uint32_t number, const std::string& bytes) {
    write_bytes(
      folder / (number == 1 ? "log/000001.jsonl" : "log/000002.jsonl"), bytes);
  };
  put(1, first.bytes());
  put(2, second.bytes());
  if (GENERATE(false, true)) // leaves indexes
    REQUIRE(read_session(folder.path(), index_writing::where_possible));
  const auto check_same = [&] {
    const auto whole = read_log(folder.path());
    const auto one = read_session(folder.path(), index_writing::never);
    REQUIRE(whole.has_value() == one.has_value());
    if (!whole) {
      CHECK(to_string(one.error()) == to_string(whole.error()));
      return;
    }
    CHECK(one->lines == whole->lines.size());
    CHECK(one->unacknowledged_bytes == whole->summary.unacknowledged_bytes);
  };
  SECTION("in its first segment") {
    for (std::size_t cut = 0; cut < first.bytes().size(); ++cut) {
      CAPTURE(cut);
      put(1, first.bytes().substr(0, cut));
      check_same();
      CHECK_FALSE(read_log(folder.path()));
    }
  }
  SECTION("in its last segment") {
    for (std::size_t cut = 0; cut <= second.bytes().size(); ++cut) {
      CAPTURE(cut);
      put(2, second.bytes().substr(0, cut));
      check_same();
    }
  }
  SECTION("in its last segment, where something else is then") {
    put(2, "something else");
    check_same();
  }
}

TEST_CASE("a log without its first segments is damaged, one alone is read") {
  const scratch_folder folder;
  std::filesystem::create_directory(folder / "log");
  const auto third = segment_text{3, 77}.group("c\n");
  const auto fourth = segment_text{4, third.crc()}.group("d\n");
  write_bytes(folder / "log/000003.jsonl", third.bytes());
  write_bytes(folder / "log/000004.jsonl", fourth.bytes());
  const auto log = read_log(folder.path());
  REQUIRE_FALSE(log);
  CHECK(log.error().rule == "log_damaged");
  CHECK_THAT(log.error().message,
             Catch::Contains("segment 1 of the log is missing"));
  const auto alone = read_log(folder / "log/000004.jsonl");
  REQUIRE(alone);
  CHECK(alone->lines.size() == 1);
}

TEST_CASE("a last segment that was only just begun has no events yet") {
  const scratch_folder folder;
  std::filesystem::create_directory(folder / "log");
  const auto first = segment_text{}.group("a\n");
  write_bytes(folder / "log/000001.jsonl", first.bytes());
  const auto begun = GENERATE(std::string{}, std::string{"{\"log_ope"});
  write_bytes(folder / "log/000002.jsonl", begun);
  const auto read = read_log(folder.path());
  REQUIRE(read);
  CHECK(read->lines.size() == 1);
  CHECK(read->summary.unacknowledged_bytes == begun.size());
}
