// The tests of the session machine and the modes, with one of the machine's
// checks switched off by the environment variable CONVENE_MUTANT.

#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <convene/session/mutant.hpp>

#include <cstdlib>
#include <iostream>
#include <map>
#include <string_view>

using convene::session::mutant;

int main(int argc, char** argv) {
  const std::map<std::string_view, mutant> known{
    {"token_check", mutant::token_check},
    {"completion_matching", mutant::completion_matching},
    {"late_reply_check", mutant::late_reply_check},
    {"base_version_check", mutant::base_version_check},
    {"claim_check", mutant::claim_check},
    {"permission_check", mutant::permission_check},
    {"handoff_depth", mutant::handoff_depth},
    {"one_handoff", mutant::one_handoff}};
  if (const char* name = std::getenv("CONVENE_MUTANT")) {
    const auto found = known.find(name);
    if (found == known.end()) {
      std::cerr << "unknown mutant: " << name << '\n';
      return 2;
    }
    convene::session::active_mutant = found->second;
  }
  return Catch::Session().run(argc, argv);
}
