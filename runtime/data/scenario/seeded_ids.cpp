#include <boost/json/object.hpp>
#include <convene/protocol/json/json_digest.hpp>
#include <convene/runtime/data/scenario/seeded_ids.hpp>

#include <charconv>
#include <cstddef>

namespace convene::host {

protocol::uuid_source seeded_ids(std::uint64_t seed,
                                 const boost::json::value& what) {
  const auto digest = protocol::json_sha256(boost::json::object{
    {"seed", seed}, {"sha256", protocol::json_sha256(what)}});
  constexpr std::size_t digits = 16;
  std::uint64_t first = 0;
  std::from_chars(digest.data(), digest.data() + digits, first, digits);
  return protocol::uuid_source{first};
}

} // namespace convene::host
