#include "program.hpp"

#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/event_log/writer.hpp>
#include <runtime/event_log/segment_text.hpp>

using namespace convene::tests;
using Catch::Contains;
namespace json = boost::json;

namespace {

void write_log(const std::filesystem::path& path, const std::string& lines) {
  auto log = convene::host::event_log_writer::open(path);
  REQUIRE(log);
  if (!lines.empty())
    REQUIRE((*log)->append(lines));
  REQUIRE((*log)->close());
}

} // namespace

TEST_CASE("a log without events has nothing wrong with it") {
  const scratch_folder at;
  write_log(at / "events.jsonl", "");
  for (const auto& path : {at.path(), at / "events.jsonl"}) {
    const auto good = run({"check", path.string()});
    CHECK(good.code == 0);
    CHECK_THAT(good.out, Contains("0 events, 0 sessions, 0 findings"));
    CHECK(good.err.empty());
  }
  CHECK(run({"check", "--quiet", at.path().string()}).out.empty());
}

TEST_CASE("a finding names file, line and rule, and is the answer no") {
  const scratch_folder at;
  write_log(at / "log", "{\"event_type\":\"\\u001b\"}\nnot json\n");
  const auto found = run({"check", (at / "log").string()});
  CHECK(found.code == 1);
  const auto third = (at / "log").string() + ":3: ";
  const auto fourth = (at / "log").string() + ":4: - json ";
  CHECK_THAT(found.out, Contains(third) && Contains(fourth));
  CHECK_THAT(found.out, !Contains("\x1b"));

  const auto as_json = run({"check", "--json", (at / "log").string()});
  CHECK(as_json.code == 1);
  const auto document = convene::protocol::parse_json(as_json.out);
  REQUIRE(document);
  CHECK(document->at("good") == false);
  const auto& log = document->at("logs").at(0);
  CHECK(log.at("events") == 2);
  const auto& findings = log.at("findings").as_array();
  CHECK(log.at("findings_total") == findings.size());
  const auto broken = std::ranges::find_if(
    findings, [](const json::value& one) { return one.at("rule") == "json"; });
  REQUIRE(broken != findings.end());
  CHECK(broken->at("line") == 4);
  CHECK(broken->at("file").as_string() == (at / "log").string());
}

TEST_CASE("findings in a log of several files name the right one") {
  const scratch_folder at;
  std::filesystem::create_directory(at / "log");
  const auto first = segment_text{};
  const auto second = segment_text{2, first.crc()}.group("[]\n");
  const auto third = segment_text{3, second.crc()};
  const auto fourth = segment_text{4, third.crc()}.group("[]\n").group("no\n");
  write_bytes(at / "log/000001.jsonl", first.bytes());
  write_bytes(at / "log/000002.jsonl", second.bytes());
  write_bytes(at / "log/000003.jsonl", third.bytes());
  write_bytes(at / "log/000004.jsonl", fourth.bytes());
  const auto found = run({"check", at.path().string()});
  CHECK(found.code == 1);
  CHECK_THAT(found.out, Contains("log/000002.jsonl:3: ")
                          && Contains("log/000004.jsonl:3: ")
                          && Contains("log/000004.jsonl:5: - json ")
                          && !Contains("000001.jsonl:"));
  std::filesystem::remove(at / "log/000003.jsonl");
  const auto gap = run({"check", at.path().string()});
  CHECK(gap.code == 1);
  CHECK_THAT(gap.out, Contains("segment 3 of the log is missing"));
}

TEST_CASE("a damaged log is found out") {
  const scratch_folder at;
  write_log(at / "log", "{\"event_type\":\"x\"}\n");
  auto bytes = read_bytes(at / "log");
  bytes[bytes.find("event_type")] = 'E';
  write_bytes(at / "log", bytes);
  const auto found = run({"check", (at / "log").string()});
  CHECK(found.code == 1);
  CHECK_THAT(found.out, Contains("log_damaged"));
}

TEST_CASE("what cannot be read as a log is an error") {
  const scratch_folder at;
  write_bytes(at / "text", "hello\n");
  for (const auto& path : {at / "text", at / "missing", at.path(),
                           std::filesystem::path{"/dev/zero"}}) {
    const auto refused = run({"check", path.string()});
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains("convene: " + path.string()));
  }
}
