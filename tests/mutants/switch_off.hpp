#pragma once

#include <string_view>

namespace convene::test {

/// Switches off the check of this name, for good; false if there is none. Only
/// suites whose product has mutants define it.
[[gnu::weak]] bool switch_off(std::string_view mutant);

} // namespace convene::test
