#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/strict/shape.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace convene::protocol {

enum class id_place : std::uint8_t {
  identity,  ///< must be a UUID in the strict form
  reference, ///< any text; follows if it is an id elsewhere
};

/// Is shown a text, and the pointer to it, made only when asked for; returns
/// what to put in its place.
using id_visitor = std::function<std::string_view(
  std::string_view id, id_place where,
  const std::function<std::string()>& pointer)>;

/// Shows every text of the value that is an id by `how`, or that by its name
/// may refer to one: `*_id`, `*_ref`, `*_role`, their plurals, `role` and
/// `dependencies`. Ids of participants are left out: they concern the session
/// alone. `spec` and `reply` of a payload are kept as they are: what
/// was ordered, and what was said. Keys of `assign` and `ranks` are shown too.
/// `how` may be null: nothing is known of the value.
void visit_ids(boost::json::value& what, const shape* how,
               const id_visitor& visit);

} // namespace convene::protocol
