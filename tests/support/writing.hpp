#pragma once

#include <support/rig.hpp>

// What tests of shared resources write and look at.

namespace convene::test {

inline protocol::resource_write
writes(std::string id, std::int64_t base, protocol::json::value value,
       protocol::write_op op = protocol::write_op::put) {
  return {"file", std::move(id), base, op, std::move(value)};
}

inline protocol::reply with(std::vector<protocol::resource_write> all) {
  return {.content = "done", .writes = std::move(all)};
}

/// "a2=value by x" for each resource, "a3=deleted by x" where it is gone.
inline texts standing(const session::machine& of) {
  texts all;
  for (const auto& r : of.workspace().view().changes(0)) {
    const auto by = r->by.participant;
    all.push_back(
      r->key->id + std::to_string(r->version) + "="
      + (r->deleted ? "deleted" : protocol::json::serialize(r->value))
      + (by == session::author::nobody
           ? ""
           : " by " + of.spec().collab.participants[by].participant_id));
  }
  return all;
}

/// "what: reason" of each notice to somebody.
inline texts told(const rig& bench, std::string_view who) {
  texts all;
  const auto to = bench.index(who);
  for (const auto& n : bench.notices)
    if (n.to == to)
      all.push_back(n.what + ": " + n.reason);
  return all;
}

} // namespace convene::test
