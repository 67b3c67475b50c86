#pragma once

#include <catch2/catch.hpp>
#include <convene/protocol/invariants/check.hpp>
#include <convene/protocol/invariants/scope.hpp>
#include <convene/protocol/invariants/session_rules.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace convene::test {

namespace json = boost::json;

/// The bytes of a file of the project.
inline std::string read_text(const std::string& name) {
  std::ifstream file{CONVENE_SOURCE_DIR "/" + name, std::ios::binary};
  REQUIRE(file);
  return {std::istreambuf_iterator<char>{file}, {}};
}

inline json::value read_json(const std::string& name) {
  return protocol::parse_json(read_text(name)).value();
}

/// A document that breaks no rule, and its schema.
struct sample {
  std::string schema;
  json::value document;

  [[nodiscard]] protocol::invariant_scope scope() const {
    return protocol::scope_of(schema, document).value();
  }
};

inline sample find_sample(const std::string& name) {
  static const auto all = read_json("tests/protocol/invariants/documents.json");
  const auto& found = all.at(name);
  return {std::string{found.at("schema").as_string()}, found.at("document")};
}

/// Embedded rules, by sets or ids.
inline protocol::rule_set rules_of(std::vector<std::string_view> names) {
  return protocol::embedded_invariants().value().select(names).value();
}

/// What the good documents of one project tell each other.
inline protocol::related_documents
related_samples(const protocol::rule_set& rules) {
  protocol::related_documents related{rules};
  for (const auto* name :
       {"context", "plan", "trace", "role", "coder", "extension"}) {
    const auto one = find_sample(name);
    REQUIRE(related.add(one.scope(), one.document));
  }
  return related;
}

/// Ids of the rules that the events break, in their order.
inline std::vector<std::string>
broken_by_events(const protocol::rule_set& rules, const json::array& events) {
  std::vector<std::string> ids;
  protocol::session_rules sessions{rules};
  const protocol::session_rule_visitor note
    = [&](const protocol::broken_session_rule& broken) {
        ids.push_back(broken.rule->id);
      };
  for (std::size_t i = 0; i < events.size(); ++i)
    REQUIRE(sessions.feed(i + 1, events[i], note));
  sessions.finish(note);
  return ids;
}

} // namespace convene::test
