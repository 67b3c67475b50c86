#pragma once

#include <boost/json/fwd.hpp>
#include <convene/protocol/json_schema/compiled_schema.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simdjson::dom {
class element;
}

namespace convene::protocol {

/// One keyword that a document does not meet.
struct violation {
  std::string instance_pointer; ///< JSON pointer into the document
  std::string schema_pointer;   ///< the way through the schema, `$ref` included
  std::string keyword;  ///< "type", "required", ...; "false" for `false`
  std::string expected; ///< what the schema asks for, shortened
  std::string actual;   ///< what is there, shortened
  std::string text;     ///< all of it in a line for a person

  bool operator==(const violation&) const = default;
};

/// What ended a validation before its verdict.
enum class validation_limit : std::uint8_t {
  none,
  depth, ///< nested deeper than `depth_max`
  steps, ///< `steps_max` used up
};

/// `none`, `depth` or `steps`.
[[nodiscard]] std::string_view to_word(validation_limit limit) noexcept;

/// The bounds of one validation.
struct validation_options {
  /// Violations to describe; with 0 there is the verdict only, and it comes
  /// at the first violation.
  std::size_t violations_max = 20;
  /// Schemas within schemas and values within values, of those that apply
  /// something; at most 1,000, which half a megabyte of stack is enough for.
  std::size_t depth_max = 1'000;
  /// Subschemas applied, values compared, and every 64 bytes of a text that
  /// these read. Set it lower, to about ten for each byte of the document,
  /// where users bring the schema.
  std::uint64_t steps_max = 200'000'000;
};

/// The verdict and its reasons.
struct validation_outcome {
  bool valid = false;
  bool truncated = false; ///< there may be more violations
  validation_limit limit = validation_limit::none; ///< if not none: no verdict
  std::vector<violation> violations; ///< in the document's order by keyword
};

/// Validates a document. A valid one costs no allocation (unless the schema
/// compares objects or large arrays); an invalid one is walked a second time
/// to describe what is wrong. Never throws but for lack of memory.
[[nodiscard]] validation_outcome
validate(const compiled_schema& schema, const boost::json::value& document,
         const validation_options& options = {});
[[nodiscard]] validation_outcome
validate(const compiled_schema& schema, const simdjson::dom::element& document,
         const validation_options& options = {});

} // namespace convene::protocol
