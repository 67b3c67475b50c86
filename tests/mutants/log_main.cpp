// The tests of the event log, with one of its steps left out by the environment
// variable CONVENE_MUTANT.

#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <convene/runtime/event_log/mutant.hpp>

#include <cstdlib>
#include <iostream>
#include <map>
#include <string_view>

using convene::host::log_mutant;

int main(int argc, char** argv) {
  const std::map<std::string_view, log_mutant> known{
    {"sync", log_mutant::sync},
    {"sync_order", log_mutant::sync_order},
    {"acknowledgement_wait", log_mutant::acknowledgement_wait},
    {"checksum_check", log_mutant::checksum_check},
    {"sync_after_cut", log_mutant::sync_after_cut},
    {"last_group_again", log_mutant::last_group_again},
    {"names_sync", log_mutant::names_sync},
    {"chain_of_segments", log_mutant::chain_of_segments},
    {"removal_sync", log_mutant::removal_sync},
    {"needed_segments", log_mutant::needed_segments}};
  if (const char* name = std::getenv("CONVENE_MUTANT")) {
    const auto found = known.find(name);
    if (found == known.end()) {
      std::cerr << "unknown mutant: " << name << '\n';
      return 2;
    }
    convene::host::active_log_mutant = found->second;
  }
  return Catch::Session().run(argc, argv);
}
