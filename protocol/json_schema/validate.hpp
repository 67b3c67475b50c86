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

/// One keyword that a document violates.
struct violation {
  std::string instance_pointer; ///< JSON pointer into the document
  std::string schema_pointer;   ///< path through the schema, including `$ref`
  std::string keyword;  ///< "type", "required", ...; "false" for `false`
  std::string expected; ///< what the schema requires, shortened
  std::string actual;   ///< what was found, shortened
  std::string text;     ///< all of it as one readable line

  bool operator==(const violation&) const = default;
};

/// The limit that ended a validation before its verdict.
enum class validation_limit : std::uint8_t {
  none,
  depth, ///< nested deeper than `depth_max`
  steps, ///< `steps_max` used up
};

/// `none`, `depth` or `steps`.
[[nodiscard]] std::string_view to_word(validation_limit limit) noexcept;

/// The bounds of one validation.
struct validation_options {
  /// Violations to describe; with 0 only the verdict is computed, up to the
  /// first violation.
  std::size_t violations_max = 20;
  /// Nesting depth of applied subschemas and of values; at most 1,000, for
  /// which half a megabyte of stack suffices.
  std::size_t depth_max = 1'000;
  /// Counts applied subschemas, compared values, every 64 bytes of text read by
  /// these, and the search for a pattern by the text's bytes times the size of
  /// the pattern's program, in 256s. Set it lower, to about ten for each byte
  /// of the document, where users supply the schema.
  std::uint64_t steps_max = 200'000'000;
};

/// The verdict and its reasons.
struct validation_outcome {
  bool valid = false;
  bool truncated = false; ///< there may be more violations
  validation_limit limit = validation_limit::none; ///< unless none: no verdict
  std::vector<violation> violations; ///< in document order by keyword
};

/// Validates a document. A valid one costs no allocation (unless the schema
/// compares objects or large arrays); an invalid one is traversed a second time
/// to describe the violations. Throws only when out of memory.
[[nodiscard]] validation_outcome
validate(const compiled_schema& schema, const boost::json::value& document,
         const validation_options& options = {});
[[nodiscard]] validation_outcome
validate(const compiled_schema& schema, const simdjson::dom::element& document,
         const validation_options& options = {});

} // namespace convene::protocol
