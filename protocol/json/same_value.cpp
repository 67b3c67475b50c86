#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <convene/protocol/json/same_value.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace convene::protocol {
namespace {

namespace json = boost::json;

/// Whether a real is this integer, without rounding the integer on the way.
template <class Integer>
bool is_integer(double real, Integer whole) {
  constexpr double end = sizeof(Integer) * 8 == 64 && Integer(-1) > 0
                           ? 18446744073709551616.0
                           : 9223372036854775808.0;
  constexpr double begin = Integer(-1) > 0 ? 0.0 : -end;
  return real == std::trunc(real) && real >= begin && real < end
         && static_cast<Integer>(real) == whole;
}

bool same_number(const json::value& a, const json::value& b) {
  if (a.is_double() && b.is_double())
    return a.get_double() == b.get_double();
  if (a.is_double())
    return b.is_int64() ? is_integer(a.get_double(), b.get_int64())
                        : is_integer(a.get_double(), b.get_uint64());
  if (b.is_double())
    return same_number(b, a);
  if (a.is_int64() && b.is_int64())
    return a.get_int64() == b.get_int64();
  if (a.is_uint64() && b.is_uint64())
    return a.get_uint64() == b.get_uint64();
  return a.is_int64() ? std::cmp_equal(a.get_int64(), b.get_uint64())
                      : std::cmp_equal(a.get_uint64(), b.get_int64());
}

} // namespace

// NOLINTNEXTLINE(misc-no-recursion)
bool same_value(const json::value& a, const json::value& b) {
  if (a.is_number() && b.is_number())
    return same_number(a, b);
  if (a.is_array() && b.is_array())
    return std::ranges::equal(a.get_array(), b.get_array(), same_value);
  if (!a.is_object() || !b.is_object())
    return a == b;
  const auto& other = b.get_object();
  return a.get_object().size() == other.size()
         && std::ranges::all_of(a.get_object(), [&](const auto& member) {
              const auto* found = other.if_contains(member.key());
              return found != nullptr && same_value(member.value(), *found);
            });
}

} // namespace convene::protocol
