#pragma once

#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/json_schema/evaluate_items.hpp>
#include <convene/protocol/json_schema/evaluate_members.hpp>

#include <cstdint>
#include <string_view>

namespace convene::protocol::validation {

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
    return validation::require<Describing>(r_, met, what, value_);
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
        return require(count_characters(value_.text()) >= what.a, what);
      case op::max_length:
        return require(value_.text().size() <= what.a
                         || count_characters(value_.text()) <= what.a,
                       what);
      case op::pattern:
        return meets_pattern(what);
      case op::format:
        return require(code().formats[what.a].check(value_.text()), what);
      case op::min_items:
      case op::min_properties:
        return require(value_.size() >= what.a, what);
      case op::max_items:
      case op::max_properties:
        return require(value_.size() <= what.a, what);
      case op::unique_items:
        return meets_unique_items<Describing>(r_, value_);
      case op::contains:
        return require(!value_.each_item([&](C item) {
          return !check<false>(r_, what.a, item);
        }),
                       what);
      case op::items:
        return meets_items<Describing>(r_, what, value_);
      case op::tuple:
        return meets_tuple<Describing>(r_, what, value_);
      case op::members:
        return member_evaluation<Describing, C>{r_, value_}.meets_rules(
          code().members[what.a]);
      case op::dependencies:
        return member_evaluation<Describing, C>{r_, value_}.meets_dependencies(
          what);
    }
    return false;
  }

  bool meets_pattern(const instruction& what) {
    const auto& sought = code().patterns[what.a];
    return r_.spend_on(sought, value_.text())
           && require(is_found(sought, value_.text()), what);
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
        return say(r_, "oneOf", expectation(code(), what), "several matches");
      require(false, what);
    }
    return explain_branches(what);
  }

  bool condition(const instruction& what) {
    const bool met = matches(what.a);
    const step_into<Describing> step{r_, met ? "then" : "else"};
    return check<Describing>(r_, met ? what.b : what.c, value_);
  }

  run& r_;
  C value_;
};

/// Adds that the value is of none of the types of `of`.
template <cursor C>
void describe_type(run& r, const node& of, C value) {
  if (of.types == 0) {
    say(r, "false", "nothing", summary(value));
    return;
  }
  auto expected = type_names(of.types);
  if (value.is() == kind::string)
    expected += list_advice(r.code, of, value.text());
  say(r, "type", std::move(expected), summary(value));
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
  const auto group = group_of_kind[is];
  const auto first = schema.first[group];
  const auto last = schema.first[group + 1U];
  if (first == last)
    return true;
  if (group == strings && !r.spend_on(value.text()))
    return false;
  return check_all<Describing>(r, first, last, value);
}

} // namespace convene::protocol::validation
