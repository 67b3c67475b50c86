#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <support/log_laws.hpp>
#include <transcripts/transcript.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

using namespace convene;
using namespace convene::test;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> transcripts() {
  std::vector<fs::path> all;
  for (const auto& each :
       fs::directory_iterator{CONVENE_SOURCE_DIR "/tests/transcripts"})
    if (each.path().extension() == ".txt")
      all.push_back(each.path());
  std::ranges::sort(all);
  return all;
}

std::string read(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// Where two texts differ, with the lines there.
std::string difference(const std::string& expected, const std::string& found) {
  std::size_t line = 1;
  std::size_t from = 0;
  for (std::size_t i = 0; i < expected.size() && i < found.size(); ++i) {
    if (expected[i] != found[i])
      break;
    if (expected[i] == '\n') {
      ++line;
      from = i + 1;
    }
  }
  const auto cut = [&](const std::string& text) {
    return text.substr(from, text.find('\n', from) - from);
  };
  return "line " + std::to_string(line) + "\nexpected: " + cut(expected)
         + "\nfound:    " + cut(found);
}

} // namespace

// CONVENE_REWRITE=1 writes the effects into the files; review what changed.
TEST_CASE("every transcript's inputs have the effects that it shows") {
  const bool rewrites = std::getenv("CONVENE_REWRITE") != nullptr;
  for (const auto& path : transcripts()) {
    INFO(path.filename().string());
    const auto text = read(path);
    const auto found = play(read_transcript(text));
    if (rewrites)
      std::ofstream{path, std::ios::binary} << found.text;
    else if (text != found.text)
      FAIL_CHECK(difference(text, found.text));
    const bool takes_turns = modes::find(found.policy)->takes_turns
                             && found.policy != "orchestrated";
    if (!found.ending.empty())
      for (const auto& broken : broken_laws(found.lines, takes_turns))
        FAIL_CHECK(broken);
    if (const auto other = replay(found.lines, modes::find))
      FAIL_CHECK("line " << other->line << ": " << other->message);
  }
}

TEST_CASE("transcripts show every mode, and every kind of conflict and input") {
  std::set<std::string> wanted{"concurrent_modification",
                               "exclusive_write_violation", "stale_token",
                               "resource_claimed", "permission_denied"};
  for (const auto* strategy :
       {"hierarchy", "voting", "last-write-wins", "first-write-wins", "merge",
        "escalation", "reject"})
    wanted.insert("resolution_strategy=" + std::string{strategy});
  for (const auto* mode : modes::catalog())
    wanted.insert("start " + std::string{mode->name});
  for (const auto* input :
       {"answer ", "write ", "claim ", "pass ", "lose ", "back ", "suspend ",
        "resume", "cancel ", "stop ", "fault ", "verdict ", "message "})
    wanted.insert("\n" + std::string{input});
  const auto all = transcripts();
  CHECK(all.size() >= 20);
  for (const auto& path : all) {
    const auto text = read(path);
    std::erase_if(wanted, [&](const auto& part) {
      return text.find(part) != std::string::npos;
    });
  }
  for (const auto& missing : wanted)
    FAIL_CHECK("no transcript has: " << missing);
}

TEST_CASE("a transcript that cannot be read says where") {
  CHECK_THROWS_WITH(read_transcript("pass 1\n"),
                    Catch::Contains("no ---- after: pass 1"));
  CHECK_THROWS_WITH(read_transcript(""), Catch::Contains("no input"));
  CHECK_THROWS_WITH(play(read_transcript("pass 1\n----\n")),
                    Catch::Contains("pass 1: the first input is start"));
  const std::string begin = "start round_robin a\n----\n\n";
  CHECK_THROWS_WITH(play(read_transcript(begin + "jump\n----\n")),
                    Catch::Contains("no input is called jump"));
  CHECK_THROWS_WITH(play(read_transcript(begin + "answer a #99\n----\n")),
                    Catch::Contains("nothing is called #99"));
  CHECK_THROWS_WITH(play(read_transcript(begin + "lose b\n----\n")),
                    Catch::Contains("no participant is called b"));
}
