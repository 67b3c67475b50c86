#pragma once

#include <string>
#include <vector>

namespace convene::test {

using texts = std::vector<std::string>;

} // namespace convene::test
