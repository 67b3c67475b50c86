#pragma once
#pragma GCC system_header // for include_next

#include <convene/session/conflicts/permission.hpp>
#include <convene/session/conflicts/writing.hpp>
#include <convene/session/mutant.hpp>

#define checks product_checks
#include_next <convene/session/conflicts/write_checks.hpp>
#undef checks

namespace convene::session::checks {

[[nodiscard]] inline bool is_permitted(permissions& allowed, const spec& what,
                                       const writing& by,
                                       std::string_view resource_type) {
  return off(mutant::permission_check)
         || product_checks::is_permitted(allowed, what, by, resource_type);
}

[[nodiscard]] inline bool is_of_another(participant_index holder,
                                        participant_index writer) noexcept {
  return !off(mutant::claim_check)
         && product_checks::is_of_another(holder, writer);
}

[[nodiscard]] inline bool is_of_writer(participant_index holder,
                                       participant_index writer) noexcept {
  return off(mutant::step_holder_check)
         || product_checks::is_of_writer(holder, writer);
}

[[nodiscard]] inline bool is_outdated(std::uint64_t base,
                                      std::uint64_t current) noexcept {
  return !off(mutant::base_version_check)
         && product_checks::is_outdated(base, current);
}

} // namespace convene::session::checks
