#pragma once

#include <boost/json/object.hpp>
#include <convene/lab/study/variation.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace convene::host {

/// One variant of a study's scenario.
struct study_point {
  boost::json::object vary;           ///< by variation: which choice it is
  std::vector<std::string> overrides; ///< of the scenario, key=value

  bool operator==(const study_point&) const = default;
};

/// All combinations of the choices; the last variation changes fastest. Error:
/// `points_max`, or `vary` for a range, of which there is no end.
[[nodiscard]] protocol::result<std::vector<study_point>>
grid_of(const std::vector<variation>& all);

/// A Latin hypercube of `count` points: each variation is cut into as many
/// parts of the same size, and each part is taken by one point. Points that are
/// the same, as few choices make them, are left out. The same for the same
/// seed.
[[nodiscard]] std::vector<study_point>
latin_hypercube(const std::vector<variation>& all, std::size_t count,
                std::uint64_t seed);

/// "collab.mode=pair session.rounds=3"; without variations "as it is".
[[nodiscard]] std::string name_of(const study_point& point);

} // namespace convene::host
