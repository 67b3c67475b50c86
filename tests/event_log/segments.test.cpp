#include "files.hpp"
#include "segment_text.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/event_log/reader.hpp>

using namespace convene::host;
using namespace convene::tests;

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
