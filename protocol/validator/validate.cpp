#include <convene/protocol/validator/evaluate.hpp>

#include <algorithm>

namespace convene::protocol {
namespace {

using namespace validation;

constexpr std::size_t depth_limit = 1'000;

run start(const compiled_schema& schema, const validation_options& options,
          trail* way) {
  return {.code = schema.code(),
          .steps = options.steps_max,
          .depth = std::min(options.depth_max, depth_limit),
          .limit = validation_limit::none,
          .way = way};
}

template <cursor C>
validation_outcome validate_at(const compiled_schema& schema, C document,
                               const validation_options& options) {
  validation_outcome out;
  auto quick = start(schema, options, nullptr);
  const bool ok = check<false>(quick, schema.code().root, document);
  out.limit = quick.limit;
  out.valid = ok && out.limit == validation_limit::none;
  if (out.valid || out.limit != validation_limit::none
      || options.violations_max == 0)
    return out;
  trail way{.violations_max = options.violations_max,
            .instance = {},
            .schema = {},
            .found = {}};
  auto slow = start(schema, options, &way);
  static_cast<void>(check<true>(slow, schema.code().root, document));
  out.truncated = way.is_full() || slow.limit != validation_limit::none;
  out.violations = std::move(way.found);
  return out;
}

} // namespace

std::string_view to_word(validation_limit limit) noexcept {
  switch (limit) {
    case validation_limit::depth:
      return "depth";
    case validation_limit::steps:
      return "steps";
    default:
      return "none";
  }
}

validation_outcome validate(const compiled_schema& schema,
                            const json::value& document,
                            const validation_options& options) {
  return validate_at(schema, boost_cursor{document}, options);
}

validation_outcome validate(const compiled_schema& schema,
                            const simdjson::dom::element& document,
                            const validation_options& options) {
  return validate_at(schema, simdjson_cursor{document}, options);
}

} // namespace convene::protocol
