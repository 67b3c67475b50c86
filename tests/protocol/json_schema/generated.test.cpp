#include "documents.hpp"

#include <convene/protocol/embedded_schemas/registry.hpp>
#include <protocol/json_schema/generated/embedded.hpp>
#include <protocol/json_schema/generated/faults.hpp>

#include <map>
#include <set>

using namespace convene;
using namespace convene::protocol;
using namespace convene::tests;

namespace {

/// Validates in both representations, which must agree.
validation_outcome verdict_on(const compiled_schema& schema,
                              const json::value& document) {
  return validated(schema, json::serialize(document));
}

/// Whether what is said is what the fault is: that keyword at that place, and
/// nothing of other places. Where the schema has conditions, the place alone:
/// the change may decide what applies there.
bool names_fault(const validation_outcome& out, const fault& what,
                 bool conditional) {
  const auto is_here = [&](const violation& v) {
    return v.instance_pointer == what.pointer;
  };
  const auto is_it = [&](const violation& v) {
    return is_here(v) && v.keyword == what.keyword;
  };
  return conditional ? std::ranges::any_of(out.violations, is_here)
                     : std::ranges::all_of(out.violations, is_here)
                         && std::ranges::any_of(out.violations, is_it);
}

constexpr std::uint32_t documents_each = 25;

} // namespace

TEST_CASE("documents made from each embedded schema are valid, and with one "
          "fault invalid, for that fault") {
  const auto set = embedded_set();
  std::map<std::string, std::set<std::string>> schemas_with; // by keyword
  for (const auto& file : embedded_schemas()) {
    const auto schema = embedded_schema(file.path).value();
    for (std::uint32_t seed = 1; seed <= documents_each; ++seed) {
      dice d{seed};
      const auto made = generate(set, file.id, d);
      INFO(file.path << ", seed " << seed);
      INFO(json::serialize(made.document));
      const auto out = verdict_on(schema, made.document);
      INFO((out.violations.empty() ? "" : out.violations.front().text));
      REQUIRE(out.valid);
      for (const auto& what : faults_of(made, d)) {
        const auto wrong = verdict_on(schema, with_fault(made.document, what));
        INFO(what.keyword << " at " << what.pointer);
        INFO((wrong.violations.empty() ? "" : wrong.violations.front().text));
        REQUIRE_FALSE(wrong.valid);
        REQUIRE(names_fault(wrong, what, made.conditional));
        if (file.path.starts_with("v2/"))
          schemas_with[what.keyword].emplace(file.path);
      }
    }
  }
  // How many of the 29 have each keyword where something can violate it: all
  // but common-types, which accepts anything; of these all but identifiers,
  // which is a string; and those that are closed.
  std::map<std::string, std::size_t> counts;
  for (const auto& [keyword, files] : schemas_with)
    counts[keyword] = files.size();
  CHECK(counts.at("type") == 28);
  CHECK(counts.at("required") == 27);
  CHECK(counts.at("additionalProperties") == 20);
  for (auto keyword : {"const", "enum", "format", "maximum", "minItems",
                       "minLength", "minimum", "pattern", "uniqueItems"}) {
    INFO(keyword);
    CHECK(counts[keyword] > 0);
  }
}
