#include <convene/session/workspace/resource.hpp>

namespace convene::session {

std::size_t
resource_hash::operator()(const resource_name& what) const noexcept {
  const std::hash<std::string_view> hash;
  return hash(what.id) ^ (hash(what.type) * 0x9e3779b97f4a7c15ULL);
}

} // namespace convene::session
