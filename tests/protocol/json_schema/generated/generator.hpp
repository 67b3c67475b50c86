#pragma once

#include <protocol/json_schema/generated/rules.hpp>

#include <string>
#include <vector>

namespace convene::tests {

/// A value of a document, and what it meets.
struct ruled_place {
  std::string pointer;
  rules meets;
};

/// A document that is valid by the way it was made.
struct generated {
  json::value document;
  std::vector<ruled_place> places;
  /// Whether the schema has `if`, `not` or branches: a change in one place may
  /// then be a violation in others too.
  bool conditional = false;
};

/// Makes a document for the schema that `reference` names in `set`: required
/// members always, others by chance, values from samples.hpp. The same for the
/// same numbers from `d`. Throws for keywords that it does not know.
generated generate(const schema_set& set, std::string_view reference, dice& d);

} // namespace convene::tests
