#include <catch2/catch.hpp>
#include <convene/runtime/log/event_log/marks.hpp>

using namespace convene::host;

TEST_CASE("a log_group line reads back as what was written") {
  const group_mark mark{.bytes = 4711, .crc = 0x00ab12cd, .previous = 7};
  const auto line = to_line(mark);
  CHECK(line
        == R"({"log_group":{"bytes":4711,"crc32c":"00ab12cd",)"
           R"("previous":"00000007"}})");
  CHECK(is_group(line));
  CHECK(parse_group(line) == mark);
}

TEST_CASE("no other spelling of a log_group line is accepted") {
  const auto line = GENERATE(
    as<std::string>{}, //
    R"({"log_group":{"bytes":1,"crc32c":"00AB12CD","previous":"00000000"}})",
    R"({"log_group":{"bytes":01,"crc32c":"00ab12cd","previous":"00000000"}})",
    R"({"log_group":{"bytes":-1,"crc32c":"00ab12cd","previous":"00000000"}})",
    R"({"log_group":{"bytes":1,"crc32c":"ab12cd","previous":"00000000"}})",
    R"({"log_group":{"bytes":1,"crc32c":"00ab12cd","previous":"00000000"}} )",
    R"({"log_group":{"bytes":99999999999999999999,"crc32c":"00ab12cd",)"
    R"("previous":"00000000"}})",
    R"({"log_group":{}})", "");
  CHECK_FALSE(parse_group(line));
}

TEST_CASE("a log_opened line tells its format") {
  CHECK(opened_format(log_opened_line) == 1);
  CHECK(is_opened(log_opened_line));
  CHECK(opened_format(R"({"log_opened":{"format":2,"segment":1}})") == 2);
  CHECK_FALSE(opened_format(R"({"log_opened":{"format":"1"}})"));
  CHECK_FALSE(opened_format(R"({"event_id":"1"})"));
}

TEST_CASE("a log_opened line names its segment and the one before") {
  const opened_mark third{.segment = 3, .previous = 0x00ab12cd};
  CHECK(to_line(third)
        == R"({"log_opened":{"format":1,"segment":3,"previous":)"
           R"({"segment":2,"crc32c":"00ab12cd"}}})");
  CHECK(parse_opened(to_line(third)) == third);
  CHECK(to_line(opened_mark{}) == log_opened_line);
  CHECK(parse_opened(log_opened_line) == opened_mark{});
  for (const auto* line :
       {R"({"log_opened":{"format":1,"segment":0,"previous":null}})",
        R"({"log_opened":{"format":1,"segment":2,"previous":null}})",
        R"({"log_opened":{"format":1,"segment":1,"previous":"00ab12cd"}})",
        R"({"log_opened":{"format":2,"segment":1,"previous":null}})",
        R"({"log_opened":{"format":1,"segment":1,"previous":null}}})"})
    CHECK_FALSE(parse_opened(line));
}
