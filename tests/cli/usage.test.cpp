#include "program.hpp"

#include <convene/protocol/json/json_text.hpp>

using namespace convene::tests;
using Catch::Contains;

TEST_CASE("help and version are answers, not errors") {
  const auto help = run({"--help"});
  CHECK(help.code == 0);
  CHECK_THAT(help.out, Contains("Example:") && Contains("check"));
  CHECK(help.err.empty());
  CHECK(run({"--version"}).code == 0);
  CHECK_THAT(run({"--version"}).out, Contains("convene 0."));
  for (const std::string command :
       {"run", "check", "validate", "schemas", "lifecycle", "recommend"}) {
    const auto of_command = run({command, "--help"});
    CHECK(of_command.code == 0);
    CHECK_THAT(of_command.out,
               Contains("Example: convene " + command) && Contains("--json"));
  }
}

TEST_CASE("a command line that makes no sense is refused with a hint") {
  const auto arguments = GENERATE(
    values<std::vector<std::string>>({{},
                                      {"frobnicate"},
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

TEST_CASE("output that cannot be written is a fault") {
  CHECK(program({"--help"}, "/dev/full").wait().code == 3);
}
