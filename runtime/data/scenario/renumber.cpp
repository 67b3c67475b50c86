// The sessions of one scenario: their ids follow from its own.

#include <convene/runtime/data/scenario/scenario.hpp>

namespace convene::host {
namespace {

using namespace convene::protocol;

/// An id that follows from another one.
std::string numbered_id(const std::string& id, std::uint64_t number) {
  constexpr std::uint64_t instance_space = 0x696e7374616e6365;
  const auto key = parse_uuid(id).value_or(uuid{});
  return to_string(derive_uuid(key, instance_space, number));
}

} // namespace

std::string session_id_of(const session::spec& what, std::uint64_t number) {
  return number == 0 ? what.collab.collab_id
                     : numbered_id(what.collab.collab_id, number);
}

session::spec another(const session::spec& what, std::uint64_t number) {
  auto copy = what;
  if (number == 0)
    return copy;
  if (copy.seed)
    *copy.seed += number;
  renumber(copy, number);
  return copy;
}

void renumber(session::spec& what, std::uint64_t number) {
  what.collab.collab_id = numbered_id(what.collab.collab_id, number);
  if (what.confirm)
    what.confirm->confirm_id = numbered_id(what.confirm->confirm_id, number);
  if (!what.plan)
    return;
  const auto before = what.plan->plan_id;
  what.plan->plan_id = numbered_id(before, number);
  if (what.confirm && what.confirm->target_id == before)
    what.confirm->target_id = what.plan->plan_id;
}

} // namespace convene::host
