#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>

namespace convene::protocol {

/// What must be done to `from` to get `to`, with the order of its members: a
/// list of `{"at": pointer}` (remove the member), `{"at": pointer, "value": v}`
/// (set the member, or replace the item) and `{"at": pointer, "order":
/// [names]}`. Empty: they are the same. Items of arrays of different lengths
/// are replaced together with the array.
[[nodiscard]] boost::json::array difference(const boost::json::value& from,
                                            const boost::json::value& to);

/// Carries them out. Refuses what is no such list or does not fit, with errors
/// about the edit.
[[nodiscard]] result<void> apply_edits(boost::json::value& at,
                                       const boost::json::value& edits);

} // namespace convene::protocol
