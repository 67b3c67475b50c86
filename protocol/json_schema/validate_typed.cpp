#include <convene/protocol/json_schema/typed_cursor.hpp>
#include <convene/protocol/json_schema/validate_at.hpp>

namespace convene::protocol {

validation_outcome validate_typed(const compiled_schema& schema,
                                  validation::typed_cursor value,
                                  const validation_options& options) {
  return validation::validate_at(schema.code(), value, options);
}

} // namespace convene::protocol
