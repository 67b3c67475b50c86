#include <convene/protocol/boundary/conformance.hpp>
#include <convene/protocol/boundary/wording.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>

namespace convene::protocol::boundary {

result<void> check_conformance(const boost::json::value& what,
                               std::string_view schema,
                               const std::string& pointer) {
  const auto compiled = embedded_schema(schema);
  if (!compiled)
    return fail(compiled.error());
  if (const auto found = validate(*compiled, what); !found.valid)
    return fail(to_error(found, pointer));
  return {};
}

} // namespace convene::protocol::boundary
