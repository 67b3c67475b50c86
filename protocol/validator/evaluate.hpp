#pragma once

#include <convene/protocol/validator/describe.hpp>
#include <convene/protocol/validator/unique_items.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace convene::protocol::validation {

/// Whether a value meets a node. Without `Describing` it stops at the first
/// violation and keeps no paths; with it, it adds every violation to the
/// run's trail until that is full.
template <bool Describing, cursor C>
[[nodiscard, gnu::always_inline]] inline bool
check(run& r, node_index index, C value);

/// The part of `check` that recurses: a node's instructions.
template <bool Describing, cursor C>
[[nodiscard, gnu::noinline]] bool
check_all(run& r, std::uint32_t first, std::uint32_t last, C value);

/// Names a step into the schema, and if given, into the document, while it
/// lives; costs nothing unless describing.
template <bool Describing>
class step_into {
public:
  step_into(run& r, std::string_view keyword) : r_(r) {
    if constexpr (Describing)
      r_.way->schema.emplace_back(keyword);
  }
  template <class Sub>
  step_into(run& r, std::string_view keyword, Sub sub) : step_into(r, keyword) {
    if constexpr (Describing) {
      r_.way->schema.emplace_back(sub);
      ++schema_steps_;
    }
  }
  template <class Place>
  step_into& into(Place place) {
    if constexpr (Describing) {
      r_.way->instance.emplace_back(place);
      ++instance_steps_;
    }
    return *this;
  }
  step_into(const step_into&) = delete;
  step_into& operator=(const step_into&) = delete;
  ~step_into() {
    if constexpr (Describing) {
      auto& way = *r_.way;
      way.schema.erase(way.schema.end() - schema_steps_, way.schema.end());
      way.instance.erase(way.instance.end() - instance_steps_,
                         way.instance.end());
    }
  }

private:
  run& r_;
  std::ptrdiff_t schema_steps_ = 1;
  std::ptrdiff_t instance_steps_ = 0;
};

/// Whether a describing walk goes on after a violation.
template <bool Describing>
[[nodiscard]] bool goes_on(const run& r) noexcept {
  if constexpr (Describing)
    return !r.way->is_full() && r.limit == validation_limit::none;
  return false;
}

/// Checks every instruction for one value; one function object for each
/// value, gone before its children's are needed.
template <bool Describing, cursor C>
class evaluation {
public:
  evaluation(run& r, C value) : r_(r), value_(value) {}

  bool all(const instruction* at, const instruction* end) {
    bool ok = true;
    for (; at != end; ++at) {
      if (apply(*at))
        continue;
      ok = false;
      if (!goes_on<Describing>(r_))
        break;
    }
    return ok;
  }

private:
  [[nodiscard]] const program& code() const noexcept {
    return r_.code;
  }

  bool require(bool met, const instruction& what) {
    if constexpr (Describing)
      if (!met)
        r_.way->add(keyword_of(what.code), expectation(code(), what),
                    summary(value_));
    return met;
  }

  bool say(std::string_view keyword, std::string expected, std::string actual) {
    r_.way->add(keyword, std::move(expected), std::move(actual));
    return false;
  }

  [[nodiscard]] bool matches(node_index index) {
    return check<false>(r_, index, value_);
  }

  bool apply(const instruction& what) {
    switch (what.code) {
      case op::enum_strings:
        return require(value_.is() == kind::string
                         && code().table_names.find(code().tables[what.a],
                                                    value_.text())
                              != nullptr,
                       what);
      case op::enum_values:
      case op::constant:
        return require(is_listed(what), what);
      case op::all_of:
        return all_of(what);
      case op::any_of:
        return require(count_matches(what, 1) == 1, what)
               || explain_branches(what);
      case op::one_of:
        return one_of(what);
      case op::negation:
        return require(!matches(what.a), what);
      case op::condition:
        return condition(what);
      case op::reference: {
        const step_into<Describing> step{r_, "$ref"};
        return check<Describing>(r_, what.a, value_);
      }
      case op::minimum:
        return require(compare(value_.value(), code().numbers[what.a]) >= 0,
                       what);
      case op::maximum:
        return require(compare(value_.value(), code().numbers[what.a]) <= 0,
                       what);
      case op::exclusive_minimum:
        return require(compare(value_.value(), code().numbers[what.a]) > 0,
                       what);
      case op::exclusive_maximum:
        return require(compare(value_.value(), code().numbers[what.a]) < 0,
                       what);
      case op::multiple_of:
        return require(is_multiple(value_.value(), code().numbers[what.a]),
                       what);
      case op::min_length:
        return require(code_points(value_.text()) >= what.a, what);
      case op::max_length:
        return require(value_.text().size() <= what.a
                         || code_points(value_.text()) <= what.a,
                       what);
      case op::pattern:
        return require(is_found(code().patterns[what.a], value_.text()), what);
      case op::format:
        return require(code().formats[what.a].check(value_.text()), what);
      case op::min_items:
      case op::min_properties:
        return require(value_.size() >= what.a, what);
      case op::max_items:
      case op::max_properties:
        return require(value_.size() <= what.a, what);
      case op::unique_items:
        return unique_items();
      case op::contains:
        return require(!value_.each_item([&](C item) {
          return !check<false>(r_, what.a, item);
        }),
                       what);
      case op::items:
        return items(what);
      case op::tuple:
        return tuple(what);
      case op::members:
        return members(code().members[what.a]);
      case op::dependencies:
        return dependencies(what);
    }
    return false;
  }

  static std::size_t code_points(std::string_view text) noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) {
      return (static_cast<unsigned char>(c) & 0xc0U) != 0x80;
    }));
  }

  bool is_listed(const instruction& what) {
    const auto last = what.code == op::constant ? what.a + 1 : what.b;
    for (auto i = what.a; i < last; ++i)
      if (equal(r_, value_, boost_cursor{code().constants[i]}))
        return true;
    return false;
  }

  bool all_of(const instruction& what) {
    bool ok = true;
    for (auto i = what.a; i < what.b; ++i) {
      const step_into<Describing> step{r_, "allOf", std::size_t{i - what.a}};
      ok = check<Describing>(r_, code().lists[i], value_) && ok;
      if (!ok && !goes_on<Describing>(r_))
        return false;
    }
    return ok;
  }

  /// How many branches match, counting no further than `enough`.
  std::size_t count_matches(const instruction& what, std::size_t enough) {
    std::size_t count = 0;
    for (auto i = what.a; i < what.b && count < enough; ++i)
      count += matches(code().lists[i]) ? 1 : 0;
    return count;
  }

  /// Says what is wrong with each branch that admits the value's type.
  bool explain_branches(const instruction& what) {
    if constexpr (Describing)
      for (auto i = what.a; i < what.b && goes_on<Describing>(r_); ++i) {
        const auto& branch = code().nodes[code().lists[i]];
        const auto type = type_of_kind[static_cast<std::size_t>(value_.is())];
        const step_into<true> step{r_, keyword_of(what.code),
                                   std::size_t{i - what.a}};
        if ((branch.types & type) != 0)
          static_cast<void>(check<true>(r_, code().lists[i], value_));
      }
    return false;
  }

  bool one_of(const instruction& what) {
    const auto count = count_matches(what, 2);
    if (count == 1)
      return true;
    if constexpr (Describing) {
      if (count != 0)
        return say("oneOf", expectation(code(), what), "several matches");
      require(false, what);
    }
    return explain_branches(what);
  }

  bool condition(const instruction& what) {
    const bool met = matches(what.a);
    const step_into<Describing> step{r_, met ? "then" : "else"};
    return check<Describing>(r_, met ? what.b : what.c, value_);
  }

  bool unique_items() {
    const auto same = find_equal_items(r_, value_);
    if constexpr (Describing)
      if (same)
        return say("uniqueItems", "items that differ",
                   "items " + std::to_string(same->first) + " and "
                     + std::to_string(same->second) + " equal");
    return !same && r_.limit == validation_limit::none;
  }

  bool items(const instruction& what) {
    bool ok = true;
    std::size_t index = 0;
    value_.each_item([&](C item) {
      step_into<Describing> step{r_, "items"};
      step.into(index++);
      ok = check<Describing>(r_, what.a, item) && ok;
      return ok || goes_on<Describing>(r_);
    });
    return ok;
  }

  bool tuple(const instruction& what) {
    bool ok = true;
    std::size_t index = 0;
    value_.each_item([&](C item) {
      const auto at = index++;
      if (at < what.b - what.a) {
        step_into<Describing> step{r_, "items", at};
        step.into(at);
        ok = check<Describing>(r_, code().lists[what.a + at], item) && ok;
      } else {
        step_into<Describing> step{r_, "additionalItems"};
        step.into(at);
        ok = check<Describing>(r_, what.c, item) && ok;
      }
      return ok || goes_on<Describing>(r_);
    });
    return ok;
  }

  using seen_names = std::array<std::uint64_t, required_max / 64>;

  bool members(const member_rules& rules) {
    seen_names seen;
    for (std::uint32_t i = 0; i * 64 < rules.required; ++i)
      seen[i] = 0;
    bool ok = true;
    std::uint32_t next = 0;
    value_.each_member([&](std::string_view name, C value) {
      ok = member(rules, name, value, seen, next) && ok;
      return ok || goes_on<Describing>(r_);
    });
    return (ok || goes_on<Describing>(r_)) && has_required(rules, seen) && ok;
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
        r_.way->instance.emplace_back(name);
        say("additionalProperties", "no member " + quoted(name),
            summary(value));
        r_.way->instance.pop_back();
      }
      return false;
    }
    step_into<Describing> step{r_, "additionalProperties"};
    step.into(name);
    return check<Describing>(r_, rules.additional, value);
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
            say("required", "member " + quoted(code().table_names.text(entry)),
                "none");
        }
    return ok;
  }

  bool has_member(std::string_view name) {
    return !value_.each_member([&](std::string_view other, C) {
      return r_.spend() && other != name;
    }) && r_.limit == validation_limit::none;
  }

  bool dependencies(const instruction& what) {
    bool ok = true;
    for (auto i = what.a; i < what.b; ++i) {
      const auto& rule = code().dependencies[i];
      if (!ok && !goes_on<Describing>(r_))
        return false;
      if (!has_member(code().texts[rule.name]))
        continue;
      const std::string_view name = code().texts[rule.name];
      const step_into<Describing> step{r_, "dependencies", name};
      ok = check<Describing>(r_, rule.node, value_) && ok;
      for (auto at = rule.first; at < rule.last; ++at) {
        const std::string_view other = code().texts[code().lists[at]];
        if (has_member(other))
          continue;
        ok = false;
        if constexpr (Describing)
          say("dependencies",
              "member " + quoted(other) + " beside " + quoted(name), "none");
      }
    }
    return ok && r_.limit == validation_limit::none;
  }

  run& r_;
  C value_;
};

/// Adds that the value is of none of the types of `of`.
template <cursor C>
void describe_type(run& r, const node& of, C value) {
  if (of.types == 0)
    r.way->add("false", "nothing", summary(value));
  else
    r.way->add("type", type_names(of.types), summary(value));
}

template <bool Describing, cursor C>
bool check_all(run& r, std::uint32_t first, std::uint32_t last, C value) {
  if (!r.enter())
    return false;
  const auto* const code = r.code.code.data();
  const bool ok = evaluation<Describing, C>{r, value}.all(code + first,
                                                          code + last);
  r.leave();
  return ok;
}

template <bool Describing, cursor C>
bool check(run& r, node_index index, C value) {
  if (!r.spend())
    return false;
  const auto& schema = r.code.nodes[index];
  const auto is = static_cast<std::size_t>(value.is());
  // A real may be an integer too: 1.0.
  if ((schema.types & type_of_kind[is]) == 0
      && !(type_of_kind[is] == types::number
           && (schema.types & types::integer) != 0
           && is_whole(value.value().d))) {
    if constexpr (Describing)
      describe_type(r, schema, value);
    return false;
  }
  const auto first = schema.first[group_of_kind[is]];
  const auto last = schema.first[group_of_kind[is] + 1U];
  return first == last || check_all<Describing>(r, first, last, value);
}

} // namespace convene::protocol::validation
