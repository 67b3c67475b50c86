#pragma once

#include <convene/protocol/codec/object_reader.hpp>

namespace convene::actors {

/// Reads the members that `visit` names to a visitor, and refuses others.
template <class Visit>
bool read_members(protocol::reading& r, const protocol::json::value& from,
                  const protocol::place& at, Visit visit) {
  protocol::object_reader members{r, from, at};
  visit(members);
  if (r.fault)
    return false;
  protocol::name_collector known;
  visit(known);
  return members.finish(known.names);
}

/// A value that is read elsewhere. It may be null, which is not absent.
struct written_value {
  const protocol::json::value* given = nullptr;
};

inline bool read(protocol::reading& /*r*/, const protocol::json::value& from,
                 const protocol::place& /*at*/,
                 const protocol::constraint& /*rule*/, written_value& to) {
  to.given = &from;
  return true;
}

} // namespace convene::actors
