#pragma once

// Catch2's version 3 by the header and the names of version 2, for Debian 13.

#include <catch2/catch_all.hpp>

#include <string>

namespace Catch {

using Matchers::EndsWith;
using Matchers::Matches;
using Matchers::StartsWith;

inline auto Contains(const std::string& text) {
  return Matchers::ContainsSubstring(text);
}

} // namespace Catch

using Catch::Approx;
