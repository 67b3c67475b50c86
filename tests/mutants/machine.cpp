#include <mutants/product/convene/session/mutant.hpp>
#include <mutants/switch_off.hpp>

#include <map>

namespace convene::test {

bool switch_off_in_machine(std::string_view name) {
  using session::mutant;
  static const std::map<std::string_view, session::mutant> known{
    {"token_check", mutant::token_check},
    {"completion_matching", mutant::completion_matching},
    {"late_reply_check", mutant::late_reply_check},
    {"base_version_check", mutant::base_version_check},
    {"claim_check", mutant::claim_check},
    {"permission_check", mutant::permission_check},
    {"step_holder_check", mutant::step_holder_check},
    {"handoff_depth", mutant::handoff_depth},
    {"one_handoff", mutant::one_handoff}};
  const auto found = known.find(name);
  if (found == known.end())
    return false;
  session::active_mutant = found->second;
  return true;
}

} // namespace convene::test
