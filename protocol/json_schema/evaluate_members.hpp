#pragma once

#include <convene/protocol/json_schema/walk.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace convene::protocol::validation {

/// The keywords that look at the members of an object, `object`.
template <bool Describing, cursor C>
class member_evaluation {
public:
  member_evaluation(run& r, C object) : r_(r), object_(object) {}

  bool meets_rules(const member_rules& rules) {
    seen_names seen;
    for (std::uint32_t i = 0; i * 64 < rules.required; ++i)
      seen[i] = 0;
    bool ok = true;
    std::uint32_t next = 0;
    object_.each_member([&](std::string_view name, C value) {
      ok = member(rules, name, value, seen, next) && ok;
      return ok || goes_on<Describing>(r_);
    });
    return (ok || goes_on<Describing>(r_)) && has_required(rules, seen) && ok;
  }

  bool meets_dependencies(const instruction& what) {
    bool ok = true;
    for (auto i = what.a; i < what.b; ++i) {
      const auto& rule = code().dependencies[i];
      if (!ok && !goes_on<Describing>(r_))
        return false;
      if (!has_member(code().texts[rule.name]))
        continue;
      const std::string_view name = code().texts[rule.name];
      const step_into<Describing> step{r_, "dependencies", name};
      ok = check<Describing>(r_, rule.node, object_) && ok;
      for (auto at = rule.first; at < rule.last; ++at) {
        const std::string_view other = code().texts[code().lists[at]];
        if (has_member(other))
          continue;
        ok = false;
        if constexpr (Describing)
          say(r_, "dependencies",
              "member " + quoted(other) + " beside " + quoted(name), "none");
      }
    }
    return ok && r_.limit == validation_limit::none;
  }

private:
  using seen_names = std::array<std::uint64_t, required_max / 64>;

  [[nodiscard]] const program& code() const noexcept {
    return r_.code;
  }

  bool member(const member_rules& rules, std::string_view name, C value,
              seen_names& seen, std::uint32_t& next) {
    bool ok = true;
    bool known = false;
    const auto& names = code().table_names;
    if (const auto* entry = names.find(rules.table, name, next)) {
      next = names.place_of(rules.table, *entry) + 1;
      if (entry->bit != 0)
        seen[(entry->bit - 1) / 64] |= 1ULL << ((entry->bit - 1) % 64);
      if (entry->value != no_node) {
        known = true;
        step_into<Describing> step{r_, "properties", name};
        step.into(name);
        ok = check<Describing>(r_, entry->value, value);
      }
    }
    for (auto i = rules.first_pattern; i < rules.last_pattern; ++i) {
      const auto& rule = code().member_patterns[i];
      const auto& pattern = code().patterns[rule.pattern];
      if (!r_.spend() || !r_.spend_on(name) || !r_.spend_on(pattern, name))
        return false;
      if (!is_found(pattern, name))
        continue;
      known = true;
      step_into<Describing> step{r_, "patternProperties",
                                 std::string_view{pattern.source}};
      step.into(name);
      ok = check<Describing>(r_, rule.node, value) && ok;
    }
    if (!known && rules.additional != always)
      ok = additional(rules, name, value) && ok;
    if (rules.name != always) {
      step_into<Describing> step{r_, "propertyNames"};
      step.into(name);
      ok = check<Describing>(r_, rules.name, name_cursor{name}) && ok;
    }
    return ok;
  }

  bool additional(const member_rules& rules, std::string_view name, C value) {
    if (rules.additional == never) {
      if constexpr (Describing) {
        if (r_.limit == validation_limit::none)
          r_.way->add_unknown(
            name, type_of_kind[static_cast<std::size_t>(value.is())],
            known_names(rules));
      }
      return false;
    }
    step_into<Describing> step{r_, "additionalProperties"};
    step.into(name);
    return check<Describing>(r_, rules.additional, value);
  }

  /// The names that may be there.
  [[nodiscard]] std::vector<std::string_view>
  known_names(const member_rules& rules) const {
    std::vector<std::string_view> all;
    for (const auto& entry : code().table_names.entries(rules.table))
      if (entry.value != no_node)
        all.push_back(code().table_names.text(entry));
    return all;
  }

  bool has_required(const member_rules& rules, const seen_names& seen) {
    bool ok = true;
    for (std::uint32_t i = 0; i * 64 < rules.required; ++i) {
      const auto count = std::min(rules.required - i * 64, 64U);
      ok = ok && seen[i] == ~0ULL >> (64 - count);
    }
    if constexpr (Describing)
      if (!ok)
        for (const auto& entry : code().table_names.entries(rules.table)) {
          const auto at = entry.bit - 1;
          if (entry.bit != 0 && (seen[at / 64] >> (at % 64) & 1) == 0)
            say(r_, "required",
                "member " + quoted(code().table_names.text(entry)), "none");
        }
    return ok;
  }

  bool has_member(std::string_view name) {
    return !object_.each_member([&](std::string_view other, C) {
      return r_.spend() && other != name;
    }) && r_.limit == validation_limit::none;
  }

  run& r_;
  C object_;
};

} // namespace convene::protocol::validation
