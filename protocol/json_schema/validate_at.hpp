#pragma once

#include <convene/protocol/json_schema/evaluate.hpp>

#include <algorithm>
#include <utility>

// `validate` for any representation, for its own source files.

namespace convene::protocol::validation {

inline constexpr std::size_t depth_limit = 1'000;

[[nodiscard]] inline run
start_run(const program& code, const validation_options& options, trail* way) {
  return {.code = code,
          .steps = options.steps_max,
          .depth = std::min(options.depth_max, depth_limit),
          .limit = validation_limit::none,
          .way = way};
}

template <cursor C>
[[nodiscard]] validation_outcome
validate_at(const program& code, C document,
            const validation_options& options) {
  validation_outcome out;
  auto quick = start_run(code, options, nullptr);
  const bool ok = check<false>(quick, code.root, document);
  out.limit = quick.limit;
  out.valid = ok && out.limit == validation_limit::none;
  if (out.valid || out.limit != validation_limit::none
      || options.violations_max == 0)
    return out;
  trail way{.violations_max = options.violations_max,
            .instance = {},
            .schema = {},
            .found = {}};
  auto slow = start_run(code, options, &way);
  static_cast<void>(check<true>(slow, code.root, document));
  out.truncated = way.is_full() || slow.limit != validation_limit::none;
  out.violations = std::move(way.found);
  return out;
}

} // namespace convene::protocol::validation
