#include <convene/protocol/json/relation.hpp>
#include <convene/protocol/json/same_value.hpp>

namespace convene::protocol {

bool holds(relation how, const boost::json::value& found,
           const boost::json::value& with) {
  if (!wants_number(how))
    return same_value(found, with) == (how == relation::equals);
  if (!found.is_number() || !with.is_number())
    return false;
  const auto a = found.to_number<double>();
  const auto b = with.to_number<double>();
  switch (how) {
    case relation::at_most:
      return a <= b;
    case relation::at_least:
      return a >= b;
    case relation::below:
      return a < b;
    default:
      return a > b;
  }
}

} // namespace convene::protocol
