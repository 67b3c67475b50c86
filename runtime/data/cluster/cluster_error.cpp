#include <convene/runtime/data/cluster/cluster_error.hpp>
#include <convene/runtime/data/postgres/postgres_error.hpp>

namespace convene::host {

bool is_passing(const protocol::error& what) noexcept {
  return what.rule == postgres_rule::unreachable
         || what.rule == postgres_rule::conflict
         || what.rule == postgres_rule::timeout || has_unknown_outcome(what);
}

bool is_waited_for(const protocol::error& what) noexcept {
  if (what.rule == postgres_rule::failed) // not: data, limits of the program
    return !what.value.empty() && !what.value.starts_with("22")
           && !what.value.starts_with("54");
  return is_passing(what) || what.rule == postgres_rule::refused;
}

bool has_unknown_outcome(const protocol::error& what) noexcept {
  return what.rule == postgres_rule::lost
         || what.rule == postgres_rule::unknown;
}

} // namespace convene::host
