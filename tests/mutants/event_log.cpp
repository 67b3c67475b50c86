#include <convene/runtime/log/event_log/mutant.hpp>
#include <mutants/switch_off.hpp>

#include <map>

namespace convene::test {

bool switch_off_in_log(std::string_view name) {
  using host::log_mutant;
  static const std::map<std::string_view, log_mutant> known{
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
  const auto found = known.find(name);
  if (found == known.end())
    return false;
  host::active_log_mutant = found->second;
  return true;
}

} // namespace convene::test
