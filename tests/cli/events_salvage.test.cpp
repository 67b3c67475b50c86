#include "event_log/segment_text.hpp"
#include "event_log/session_lines.hpp"
#include "program.hpp"

#include <convene/protocol/json_text.hpp>

using namespace convene::tests;
using Catch::Contains;

TEST_CASE(
  "what is whole in a damaged log goes to a new one, the rest is named") {
  const scratch_folder at;
  const auto begun = [](std::uint64_t session) {
    return line_of_session(session, "a", "MAPSessionStarted") + '\n';
  };
  const auto ended = [](std::uint64_t session) {
    return line_of_session(session, "z", "MAPSessionCompleted") + '\n';
  };
  const auto whole = segment_text{}
                       .group(begun(1) + ended(1) + begun(2))
                       .group(line_of_session(2, "lost") + '\n')
                       .group(ended(2) + begun(3));
  auto bytes = whole.bytes();
  bytes[bytes.find("lost")] = 'L';
  write_bytes(at / "log", bytes);
  const auto path = (at / "log").string();
  const auto out = (at / "out").string();
  const auto salvaged = run({"events", path, "--salvage", out});
  CHECK(salvaged.code == 1);
  const auto id = to_string(session_number(2));
  CHECK_THAT(salvaged.out,
             Contains(path + ": bytes " + std::to_string(whole.borders()[2])
                      + " to " + std::to_string(whole.borders()[3]))
               && Contains("session " + id
                           + ": 1 event kept, its end is lost, 1 behind")
               && Contains("4 events of 3 sessions in 3 intact groups kept, "
                           "1 event left out"));
  const auto again = run({"events", out, "--jsonl"});
  CHECK(again.code == 0);
  CHECK(again.out == begun(1) + ended(1) + begun(2) + begun(3));

  write_bytes(at / "good", whole.bytes());
  const auto json = run({"events", (at / "good").string(), "--json",
                         "--salvage", (at / "copy").string()});
  CHECK(json.code == 0);
  const auto document = convene::protocol::parse_json(json.out);
  REQUIRE(document);
  CHECK(document->at("undamaged") == true);
  CHECK(document->at("kept") == 6);
  CHECK(document->at("broken").as_array().empty());
}
