#include <boost/json/serialize.hpp>
#include <convene/actors/behaviours/draw.hpp>
#include <convene/lab/study/study_points.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

void take(study_point& point, const variation& from, const choice& what) {
  point.vary[from.name] = what.value;
  point.overrides.insert(point.overrides.end(), what.overrides.begin(),
                         what.overrides.end());
}

/// Outputs of SplitMix64, one after the other.
class number_stream {
public:
  explicit number_stream(std::uint64_t seed) : seed_(seed) {}

  /// From 0, below 1.
  double uniform() {
    return static_cast<double>(actors::split_mix(seed_, next_++) >> 11)
           * 0x1p-53;
  }

private:
  std::uint64_t seed_;
  std::uint64_t next_ = 0;
};

/// Six digits say enough of a number that was drawn, and look the same
/// wherever they are written.
double shortened(double number) {
  if (number == 0)
    return 0;
  constexpr double digits = 6;
  const auto places = digits - 1 - std::floor(std::log10(std::abs(number)));
  const auto scale = std::pow(10, std::abs(places));
  return places >= 0 ? std::round(number * scale) / scale
                     : std::round(number / scale) * scale;
}

choice choice_at(const variation& from, double share) {
  if (from.range) {
    const auto [low, high] = *from.range;
    return choice_of(from.name, shortened(low + share * (high - low)));
  }
  const auto size = from.choices.size();
  return from.choices[std::min(size - 1, static_cast<std::size_t>(
                                           share * static_cast<double>(size)))];
}

/// A text without quotes, a number as people write it.
std::string text_of_choice(const boost::json::value& value) {
  if (const auto* text = value.if_string())
    return std::string{*text};
  const auto* number = value.if_double();
  if (number == nullptr)
    return boost::json::serialize(value);
  std::array<char, 32> digits{};
  const auto made = std::to_chars(digits.data(), digits.data() + digits.size(),
                                  *number);
  return {digits.data(), made.ptr};
}

} // namespace

result<std::vector<study_point>> grid_of(const std::vector<variation>& all) {
  std::vector<study_point> points{{}};
  for (const auto& one : all) {
    if (one.range)
      return protocol::fail(
        errc::usage,
        "--vary " + one.name
          + ": a grid has no end of numbers between two; name some, or give "
            "--sample latin:N",
        "vary");
    if (points.size() * one.choices.size() > points_max)
      return protocol::fail(errc::limit_reached,
                            "the grid has more than "
                              + std::to_string(points_max)
                              + " points; give fewer values, or --sample "
                                "latin:N",
                            "points_max");
    std::vector<study_point> more;
    more.reserve(points.size() * one.choices.size());
    for (const auto& point : points)
      for (const auto& what : one.choices)
        take(more.emplace_back(point), one, what);
    points = std::move(more);
  }
  return points;
}

std::vector<study_point> latin_hypercube(const std::vector<variation>& all,
                                         std::size_t count,
                                         std::uint64_t seed) {
  number_stream numbers{seed};
  std::vector<study_point> points(count);
  std::vector<std::size_t> parts(count);
  for (const auto& one : all) {
    std::iota(parts.begin(), parts.end(), std::size_t{0});
    for (auto left = count; left > 1; --left)
      std::swap(parts[left - 1],
                parts[static_cast<std::size_t>(numbers.uniform()
                                               * static_cast<double>(left))]);
    for (std::size_t i = 0; i < count; ++i)
      take(points[i], one,
           choice_at(one, (static_cast<double>(parts[i]) + numbers.uniform())
                            / static_cast<double>(count)));
  }
  std::set<std::vector<std::string>> known;
  std::erase_if(points, [&known](const study_point& point) {
    return !known.insert(point.overrides).second;
  });
  return points;
}

std::string name_of(const study_point& point) {
  std::string name;
  for (const auto& [key, value] : point.vary) {
    name += name.empty() ? "" : " ";
    name += key;
    name += '=';
    name += text_of_choice(value);
  }
  return name.empty() ? "as it is" : name;
}

} // namespace convene::host
