#include <convene/lab/frail_storage/tear.hpp>

#include <algorithm>

namespace convene::host {

std::string sector_of(const std::string& bytes, std::size_t number) {
  auto part = number * sector < bytes.size()
                ? bytes.substr(number * sector, sector)
                : std::string{};
  part.resize(sector, '\0');
  return part;
}

std::string tear(const std::string& before, const std::string& after,
                 const std::set<std::size_t>& dirty, std::mt19937_64& random) {
  const auto [least, most] = std::minmax({before.size(), after.size()});
  // The ends of the range, which are the likely ones, and anything between.
  const auto choice = random() % 4;
  const auto size = choice == 0   ? least
                    : choice == 1 ? most
                                  : least + random() % (most - least + 1);
  const auto keep_of_8 = random() % 9;
  auto left = before;
  left.resize((std::max(size, most) / sector + 1) * sector, '\0');
  for (const auto number : dirty)
    if (number * sector < left.size() && random() % 8 < keep_of_8)
      left.replace(number * sector, sector, sector_of(after, number));
  left.resize(size);
  return left;
}

} // namespace convene::host
