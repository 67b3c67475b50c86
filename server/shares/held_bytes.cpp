#include <convene/server/shares/held_bytes.hpp>

#include <algorithm>

namespace convene::server {

std::size_t held_bytes(std::string_view lines) noexcept {
  constexpr std::size_t value_bytes = 24;
  const auto values = std::count(lines.begin(), lines.end(), ',');
  return lines.size() + value_bytes * static_cast<std::size_t>(values);
}

} // namespace convene::server
