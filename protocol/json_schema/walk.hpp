#pragma once

#include <convene/protocol/json_schema/describe.hpp>
#include <convene/protocol/json_schema/run.hpp>

#include <cstddef>
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

/// Adds a violation that is none of an instruction's; false. Nothing is known
/// of a document after a limit, so then there is nothing to add.
inline bool say(run& r, std::string_view keyword, std::string expected,
                std::string actual) {
  if (r.limit == validation_limit::none)
    r.way->add(keyword, std::move(expected), std::move(actual));
  return false;
}

/// Gives `met`, and says so if it is not.
template <bool Describing, cursor C>
bool require(run& r, bool met, const instruction& what, C value) {
  if constexpr (Describing)
    if (!met) {
      auto expected = expectation(r.code, what);
      if (value.is() == kind::string)
        expected += suggestion(r.code, what, value.text());
      say(r, keyword_of(what.code), std::move(expected), summary(value));
    }
  return met;
}

} // namespace convene::protocol::validation
