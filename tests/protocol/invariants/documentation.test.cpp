#include <convene/protocol/compare/compare.hpp>
#include <protocol/invariants/samples.hpp>

#include <algorithm>

using namespace convene::protocol;
using namespace convene::test;

namespace {

std::string code(const std::string& text) {
  return text.empty() ? "-" : '`' + text + '`';
}

std::string when(const invariant& rule) {
  std::string all;
  const auto add = [&](const std::string& one) {
    all += (all.empty() ? "" : " and ") + one;
  };
  for (const auto& [member, value] : rule.when)
    add(member + " = " + std::string{value.as_string()});
  if (rule.when_present)
    add("present");
  return all.empty() ? "always" : all;
}

std::string row(const invariant& rule) {
  std::string demands;
  for (const auto& one : rule.demanded_by)
    demands += (demands.empty() ? "" : ", ") + one;
  return "| `" + rule.id + "` | " + std::string{to_word(rule.scope)} + " | "
         + code(rule.path_text) + " | " + code(rule.rule_text)
         + (rule.level == invariant_level::warning ? " (warning)" : "") + " | "
         + when(rule) + " | " + demands + " | " + rule.description + " |\n";
}

} // namespace

TEST_CASE(
  "docs/invariants.md has each rule as it is in the data, and no other") {
  const auto page = read_text("docs/invariants.md");
  const auto& all = embedded_invariants().value();
  std::size_t from = 0;
  for (const auto& rule : all.all()) {
    INFO(row(rule));
    CHECK(page.find('\n' + row(rule)) != std::string::npos);
  }
  std::size_t rows = 0;
  while ((from = page.find("\n| `", from)) != std::string::npos) {
    ++rows;
    ++from;
  }
  CHECK(rows == all.all().size());
}

TEST_CASE("docs/invariants.md names what compare ignores, and the bounds") {
  auto page = read_text("docs/invariants.md");
  std::ranges::replace(page, '\n', ' ');
  std::string names;
  for (const auto member : ignored_members())
    names += (names.empty() ? ": " : ", ") + std::string{member};
  CHECK(page.find(names + ".") != std::string::npos);
  for (const auto* bound :
       {"| 10,000 | rule `invariants_max`", "| 16 | rule `path_steps_max`",
        "| 1,000,000 | rule `related_values_max`",
        "| 1,000,000 | rule `open_things_max`", "| 20 a document |"})
    CHECK(page.find(bound) != std::string::npos);
  CHECK(invariants_max == 10'000);
  CHECK(path_steps_max == 16);
  CHECK(broken_rules_kept == 20);
  CHECK(related_documents::related_values_max == 1'000'000);
  CHECK(session_rules::open_things_max == 1'000'000);
}
