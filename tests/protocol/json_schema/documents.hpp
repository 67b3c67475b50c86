#pragma once

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <simdjson.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace convene::tests {

namespace json = boost::json;

/// Compiles the only schema of a set; the test fails if that does.
inline protocol::compiled_schema
compiled(std::string_view schema,
         const protocol::compile_options& options = {}) {
  protocol::schema_set set;
  REQUIRE(set.add("test.json", json::parse(schema)));
  auto made = protocol::compile(set, "test.json", options);
  if (!made)
    FAIL(to_string(made.error()));
  return *made;
}

/// The error of a schema that does not compile.
inline protocol::error refused(std::string_view schema,
                               const protocol::compile_options& options = {}) {
  protocol::schema_set set;
  REQUIRE(set.add("test.json", json::parse(schema)));
  const auto made = protocol::compile(set, "test.json", options);
  REQUIRE_FALSE(made);
  return made.error();
}

/// Whether two violations say the same; Boost.JSON rounds some reals, so what
/// was found may differ in its last digit.
inline bool same(const protocol::violation& a, const protocol::violation& b) {
  return a.instance_pointer == b.instance_pointer
         && a.schema_pointer == b.schema_pointer && a.keyword == b.keyword
         && a.expected == b.expected;
}

/// Validates in both representations, which must agree.
inline protocol::validation_outcome
validated(const protocol::compiled_schema& schema, std::string_view document,
          const protocol::validation_options& options = {}) {
  const auto tree = json::parse(document);
  auto out = validate(schema, tree, options);
  simdjson::dom::parser parser;
  const simdjson::padded_string text{document};
  const simdjson::dom::element element = parser.parse(text);
  const auto other = validate(schema, element, options);
  CHECK(out.valid == other.valid);
  CHECK(out.limit == other.limit);
  CHECK(std::ranges::equal(out.violations, other.violations, same));
  return out;
}

inline protocol::validation_outcome
validated(std::string_view schema, std::string_view document,
          const protocol::validation_options& options = {}) {
  return validated(compiled(schema), document, options);
}

} // namespace convene::tests
