#pragma once

#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <simdjson.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace convene::tests {

/// What comes of a text by `parse_json` and Boost.JSON's tree, and of the same
/// text on simdjson's tape.
struct routes_outcome {
  std::string refused; ///< the rule, if the text was; then there is no outcome
  protocol::validation_outcome outcome;
  std::string disagreement; ///< of the two routes; empty: there is none
};

/// Takes a text along both routes and compares all that they say.
inline routes_outcome
by_both_routes(const protocol::compiled_schema& schema, std::string_view text,
               const protocol::validation_options& options = {}) {
  routes_outcome out;
  simdjson::dom::parser parser;
  simdjson::dom::element element;
  // simdjson 3.0 does not pass over a byte order mark.
  auto rest = text;
  if (rest.starts_with("\xef\xbb\xbf"))
    rest.remove_prefix(3);
  const auto on_tape = parser.parse(rest.data(), rest.size()).get(element);
  const auto tree = protocol::parse_json(text);
  if (!tree) {
    out.refused = tree.error().rule;
    // What parse_json refuses on top of what is no JSON.
    const bool own_rule = out.refused == "duplicate_key"
                          || out.refused == "depth"
                          || tree.error().code == protocol::errc::limit_reached;
    if (!on_tape && !own_rule)
      out.disagreement = "simdjson takes what is refused as " + out.refused;
    return out;
  }
  if (on_tape) {
    out.disagreement = "simdjson refuses what parse_json takes: ";
    out.disagreement += simdjson::error_message(on_tape);
    return out;
  }
  out.outcome = validate(schema, *tree, options);
  const auto other = validate(schema, element, options);
  const bool same = out.outcome.valid == other.valid
                    && out.outcome.limit == other.limit
                    && out.outcome.truncated == other.truncated
                    && out.outcome.violations == other.violations;
  if (!same)
    out.disagreement = "the tree and the tape get different outcomes";
  return out;
}

} // namespace convene::tests
