#pragma once

#include <array>
#include <string_view>

namespace convene::host {

/// A profile of the protocol: what a runtime has to do to take part in it.
struct profile {
  std::string_view name; ///< as it is called: "map"
  std::string_view id;   ///< as the protocol writes it
};

/// The profiles that this runtime runs.
inline constexpr std::array<profile, 2> supported_profiles{
  profile{"map", "mplp:profile:map:1.0.0"},
  profile{"sa", "mplp:profile:sa:1.0.0"}};

} // namespace convene::host
