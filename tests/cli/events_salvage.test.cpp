#include "program.hpp"

#include <convene/protocol/json/json_text.hpp>
#include <runtime/log/event_log/segment_text.hpp>
#include <runtime/log/event_log/session_lines.hpp>

#include <random>

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

TEST_CASE("what is salvaged from a log of real sessions has nothing wrong") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::minstd_rand random{seed};
  const scratch_folder at;
  REQUIRE(run({"run", CONVENE_SOURCE_DIR "/examples/shared-files",
               "--instances", "40", "-q", "--out", (at / "run").string()})
            .code
          == 0);
  const auto whole = read_bytes(at / "run/log/000001.jsonl");
  for (int round = 0; round < 12; ++round) {
    CAPTURE(round);
    auto bytes = whole;
    const auto place = random() % bytes.size();
    const auto length = random() % (bytes.size() - place) / 4;
    if (round % 3 == 0)
      bytes[place] = static_cast<char>(bytes[place] ^ 1 << random() % 8);
    else if (round % 3 == 1)
      bytes.erase(place, length);
    else
      bytes.replace(place, length, length, '\0');
    write_bytes(at / "log", bytes);
    const auto out = (at / "out").string() + std::to_string(round);
    const auto done
      = run_verbosely({"events", (at / "log").string(), "--salvage", out});
    CAPTURE(done.out, done.err);
    if (done.code == 2) { // all of it is gone
      CHECK_THAT(done.err, Contains("not_a_log"));
      continue;
    }
    const auto checked = run({"check", "--allow-unfinished", out});
    CHECK(checked.code == 0);
    CHECK_THAT(checked.out, Contains(", 0 findings"));
  }
}
