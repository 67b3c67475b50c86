#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/invariants/invariant.hpp>

#include <span>
#include <string_view>

namespace convene::protocol {

inline constexpr std::size_t invariants_max = 10'000;
inline constexpr std::size_t path_steps_max = 16;

/// A value that rules compare with: that of a path in another document.
struct rule_target {
  invariant_scope scope = invariant_scope::context;
  value_path path;

  bool operator==(const rule_target&) const = default;
};

/// Rules that have been understood, all of them. A value; safe to share
/// between threads once it is filled.
class rule_set {
public:
  /// Adds the rules of a JSON array in the form of schemas/invariants/, as set
  /// `name`. What is not understood is an error: errc::invalid_document with
  /// the pointer and rule `unknown_rule`, `bad_path`, `unknown_scope`,
  /// `unknown_member`, `bad_value` or `duplicate_id`; and errc::limit_reached
  /// with rule `invariants_max` or `path_steps_max`.
  [[nodiscard]] result<void> add(std::string_view name,
                                 const json::value& rules);

  /// The rules in the order in which they were added.
  [[nodiscard]] std::span<const invariant> all() const noexcept {
    return rules_;
  }

  [[nodiscard]] std::span<const rule_target> targets() const noexcept {
    return targets_;
  }

  /// Only those of the sets, or with the ids, that are named. Fails with
  /// errc::usage and rule `unknown_rule` for a name that is neither.
  [[nodiscard]] result<rule_set>
  select(std::span<const std::string_view> names) const;

private:
  std::vector<invariant> rules_;
  std::vector<rule_target> targets_;
};

/// All embedded rules, by their files' names: sa, map, observability,
/// integration, learning, seed and golden. Compiled when first asked for; may
/// be called from several threads.
[[nodiscard]] const result<rule_set>& embedded_invariants();

/// The embedded rules that hold for any document: all but `golden`, which are
/// those of the golden flows.
[[nodiscard]] result<rule_set> usual_invariants();

} // namespace convene::protocol
