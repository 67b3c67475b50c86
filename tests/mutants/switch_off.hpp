#pragma once

#include <string_view>

namespace convene::test {

// Each switches off the check, or step, of this name, for good; false if there
// is none. Only programs whose product has such mutants define them.
[[gnu::weak]] bool switch_off_in_machine(std::string_view mutant);
[[gnu::weak]] bool switch_off_in_log(std::string_view mutant);

/// Switches off what has this name; false if this program has none.
inline bool switch_off(std::string_view mutant) {
  return (switch_off_in_machine != nullptr && switch_off_in_machine(mutant))
         || (switch_off_in_log != nullptr && switch_off_in_log(mutant));
}

} // namespace convene::test
