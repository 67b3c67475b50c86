#include <convene/protocol/json_schema/validate_at.hpp>

namespace convene::protocol {

using namespace validation;

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
  return validate_at(schema.code(), boost_cursor{document}, options);
}

validation_outcome validate(const compiled_schema& schema,
                            const simdjson::dom::element& document,
                            const validation_options& options) {
  return validate_at(schema.code(), simdjson_cursor{document}, options);
}

} // namespace convene::protocol
