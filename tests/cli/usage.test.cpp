#include "program.hpp"

#include <convene/protocol/json/json_text.hpp>

#include <set>
#include <sstream>

using namespace convene::tests;
using Catch::Contains;
using Catch::Matches;
using Catch::StartsWith;

namespace {

/// The text on one line: the help breaks lines at the terminal's width.
std::string unwrapped(const std::string& text) {
  std::istringstream words{text};
  std::string line;
  for (std::string word; words >> word;)
    line += (line.empty() ? "" : " ") + word;
  return line;
}

} // namespace

TEST_CASE("help and version are answers, not errors") {
  const auto help = run({"--help"});
  CHECK(help.code == 0);
  CHECK_THAT(help.out, Contains("Example:") && Contains("check"));
  CHECK_THAT(unwrapped(help.out),
             Contains("Exit codes: 0 ") && Contains("; 3 a fault"));
  CHECK(run({"help"}).out == help.out);
  CHECK(run({"help", "help"}).out == help.out);
  CHECK(help.err.empty());
  for (const std::string command : {"load", "simulate", "study"})
    CHECK_THAT(unwrapped(run({command, "--help"}).out),
               Contains("Exit codes: 1 ") && Contains("143 after a signal"));
  CHECK(run({"--version"}).code == 0);
  CHECK_THAT(run({"--version"}).out,
             Matches(R"(convene \d+\.\d+\.\d+ \([0-9a-z]+, \w+, .+\)\n)"));
  for (const std::string command :
       {"run", "check", "validate", "schemas", "lifecycle", "recommend"}) {
    const auto of_command = run({command, "--help"});
    CHECK(of_command.code == 0);
    CHECK_THAT(of_command.out,
               Contains("Example: convene " + command) && Contains("--json"));
    CHECK(run({"help", command}).out == of_command.out);
  }
}

TEST_CASE("without a command the program prints its help and fails") {
  const auto bare = run({});
  CHECK(bare.code == 2);
  CHECK(bare.out == run({"--help"}).out);
  CHECK(bare.err.empty());
}

TEST_CASE(
  "the help lists each command once, by group, and no line is too long") {
  std::istringstream help{run({"--help"}).out};
  std::vector<std::string> titles;
  std::set<std::string> commands;
  for (std::string line;
       std::getline(help, line) && !line.starts_with("Example");) {
    CHECK(line.size() <= 100);
    if (line.ends_with(':'))
      titles.push_back(line);
    else if (line.starts_with("  ") && line.at(2) != ' ' && line.at(2) != '-')
      CHECK(commands.insert(line.substr(2, line.find(' ', 2) - 2)).second);
  }
  CHECK(titles
        == std::vector<std::string>{"Run:", "Look:", "Compare:", "Serve:",
                                    "Documents:", "Integrate:", "Options:",
                                    "Common options:"});
  for (const auto& command : commands)
    CHECK_THAT(run({command, "--help"}).out,
               Contains("Usage: convene " + command + ' '));
  CHECK(commands.size() > 20);
}

TEST_CASE("the version as JSON says what the program supports") {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--version", "--json"},
        {"--json", "--version"}}) {
    const auto told = run(arguments);
    CHECK(told.code == 0);
    CHECK(told.err.empty());
    const auto about = convene::protocol::parse_json(told.out);
    REQUIRE(about);
    CHECK(about->at("name") == "convene");
    CHECK_THAT(std::string{about->at("version").as_string()}, StartsWith("0."));
    CHECK(about->at("supported_protocol_versions").at(0) == "1.0.0");
    CHECK(about->at("supported_profiles").at(0).at("id")
          == "mplp:profile:map:1.0.0");
  }
  // What it says it runs, it runs; what it does not say is refused.
  const auto about
    = convene::protocol::parse_json(run({"--version", "--json"}).out).value();
  for (const std::string name : {"map", "sa"}) {
    bool listed = false;
    for (const auto& one : about.at("supported_profiles").as_array())
      listed = listed || one.at("name").as_string() == name;
    const auto tried = run({"run", "no-such.json", "--profile", name});
    CHECK((tried.err.find("--profile") == std::string::npos) == listed);
  }
}

TEST_CASE("a command line that makes no sense is refused with a hint") {
  const auto arguments = GENERATE(
    values<std::vector<std::string>>({{"frobnicate"},
                                      {"frobnicate", "--help"},
                                      {"help", "frobnicate"},
                                      {"--frobnicate"},
                                      {"check"},
                                      {"run"},
                                      {"run", "a", "b"},
                                      {"check", "--frobnicate", "x"},
                                      {"check", "a", "--threads", "none"},
                                      {"check", "a", "--threads", "0"},
                                      {"check", "a", "--log-level", "loud"}}));
  const auto refused = run(arguments);
  CHECK(refused.code == 2);
  CHECK(refused.out.empty());
  CHECK_THAT(refused.err, Contains("--help"));
}

TEST_CASE("a refused command line says what is wrong, and where help is") {
  const auto [arguments, words]
    = GENERATE(table<std::vector<std::string>, std::string>(
      {{{"keys"}, "convene keys requires a command: new, list, revoke; see"},
       {{"keys", "nwe"},
        "unknown command \"nwe\" (did you mean \"new\"?); see convene keys"},
       {{"rnu"},
        "unknown command \"rnu\" (did you mean \"run\"?); see convene"},
       {{"run", "s", "--sed", "1"},
        "unknown option \"--sed\" (did you mean \"--seed\"?); see convene run"},
       {{"run", "s", "--sed=secret"}, "unknown option \"--sed\" (did you"},
       {{"new", "s", "--mode", "robin"},
        "or pair (did you mean \"round_robin\"?); see convene new --help"},
       {{"new", "s", "--mode", "swam"}, "or pair (did you mean \"swarm\"?)"},
       {{"keys", "new", "--file", "/nonexistent/k", "--scope", "raed"},
        "unknown scope \"raed\" (did you mean \"read\"?)"},
       {{"run", "s", "--allow", "nett=x"}, "write=DIR (did you mean \"net\"?)"},
       {{"keys", "new"}, "--file is required; see convene keys new --help"},
       {{"keys", "new", "--frobnicate"}, "see convene keys new --help"},
       {{"dialog"}, "DOC is required; see convene dialog --help"},
       {{"run", "s", "--seed", "1", "--seed", "2"},
        "--seed: is given more than once; see convene run --help"},
       {{"run", "s", "--seed"}, "--seed: a value is missing: give it one"},
       {{"run", "s", "--seed="}, "--seed: a value is missing: give it one"},
       {{"load", "--key-env", "KEY"}, "--key-env requires --url; see convene"},
       {{"load", "--key-in-clear"}, "--key-in-clear requires --url"},
       {{"load", "--json=maybe"}, "--json: takes no value; see convene load"},
       {{"load", "--writes", "half"}, "--writes: give a number; see"},
       {{"load", "--trace", "t", "--speed", "2x"}, "--speed: give a number;"},
       {{"study", "s", "--sample-seed", "2"},
        "--sample-seed requires --sample"},
       {{"simulate", "s", "--shrink-runs", "9"},
        "--shrink-runs requires --shrink"},
       {{"simulate", "s", "--shrink-runs", "0"},
        "give a whole number from 1 to 1000000"}}));
  const auto refused = run(arguments);
  CHECK(refused.code == 2);
  CHECK(refused.out.empty());
  CHECK_THAT(refused.err, Contains(words));
}

TEST_CASE("after a command the name of one is an argument like any") {
  const auto file = run({"validate", "no-such-file", "check"});
  CHECK(file.code == 2);
  CHECK_THAT(file.err, Contains("no-such-file: cannot be read"));
  const auto extra = run({"run", "no-such-file", "check"});
  CHECK(extra.code == 2);
  CHECK_THAT(extra.err, Contains("unexpected argument \"check\""));
}

TEST_CASE("numbers out of range are refused with the range") {
  const auto [arguments, range]
    = GENERATE(table<std::vector<std::string>, std::string>(
      {{{"dialog", "d", "--window", "0"}, "from 1 to 18446744073709551615;"},
       {{"dialog", "d", "--window", "1e3"}, "from 1 to 18446744073709551615;"},
       {{"events", "e", "--limit", "-1"}, "from 1 to 18446744073709551615;"},
       {{"events", "e", "--limit", "18446744073709551616"}, "from 1 to"},
       {{"run", "s", "--instances", "1000001"}, "from 1 to 1000000;"},
       {{"run", "s", "--threads", "-1"}, "from 1 to 1024;"},
       {{"recommend", "--participants", "0"}, "from 1 to 10000;"}}));
  const auto refused = run(arguments);
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("whole number " + range));
}

TEST_CASE("a word that an option does not have is refused with its words") {
  const auto refused = run({"export", "x", "--format", "pdf"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err,
             Catch::Contains("--format")
               && Catch::Contains(
                 "write mermaid, otlp, perfetto, cloudevents, learning, openai "
                 "or anthropic"));
}

TEST_CASE("an option with an empty value is refused, not left out") {
  const auto arguments = GENERATE(values<std::vector<std::string>>(
    {{"run", "s", "--out", ""},
     {"fork", "s", "--at", "1", "--out", ""},
     {"fork", "s", "--at", "1", "--session", ""},
     {"export", "d", "--strict", "--out", ""},
     {"replay", "s", "--session", ""},
     {"dialog", "d", "--thread", ""},
     {"validate", "d", "--schema", ""},
     {"events", "e", "--session", ""},
     {"events", "e", "--type", ""},
     {"events", "e", "--after", ""}}));
  const auto refused = run(arguments);
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("is empty"));
}

TEST_CASE("with --json an error is the one document on standard output") {
  const auto refused = run({"check", "--json", "--frobnicate", "x"});
  CHECK(refused.code == 2);
  CHECK(refused.err.empty());
  const auto document = convene::protocol::parse_json(refused.out);
  REQUIRE(document);
  CHECK(document->at("error").at("code") == "usage");
  CHECK_THAT(std::string{document->at("error").at("message").as_string()},
             Contains("--frobnicate"));
}

TEST_CASE("a folder without documents is named") {
  const scratch_folder empty;
  const auto told = run({"validate", empty.path().string()});
  CHECK(told.code == 2);
  CHECK_THAT(told.err, Contains(empty.path().string()
                                + ": has no document with a known schema"));
}

TEST_CASE("output that cannot be written is a fault") {
  CHECK(program({"--help"}, "/dev/full").wait().code == 3);
}

TEST_CASE("a message names the broken rule only with --verbose or --json") {
  const std::vector<std::string> asked{"inbox", "--server",
                                       "http://127.0.0.1:1"};
  CHECK_THAT(run(asked).err,
             Contains("nothing listens") && !Contains("connect_failed"));
  CHECK_THAT(run_verbosely(asked).err, Contains("[connect_failed]"));
  auto as_json = asked;
  as_json.emplace_back("--json");
  CHECK_THAT(run(as_json).out, Contains("connect_failed"));
}
