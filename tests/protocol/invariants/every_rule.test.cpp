#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <protocol/invariants/samples.hpp>

#include <algorithm>
#include <set>

using namespace convene::protocol;
using namespace convene::test;

namespace {

std::string text_at(const json::value& from, const char* member,
                    std::string otherwise = {}) {
  const auto* found = from.as_object().if_contains(member);
  return found == nullptr ? otherwise : std::string{found->as_string()};
}

/// The good document of a case with one value changed or taken away.
json::value spoil(json::value document, const json::value& how) {
  const auto at = '/' + text_at(how, "at");
  const auto slash = at.rfind('/');
  boost::system::error_code missing;
  auto* parent = document.find_pointer(at.substr(0, slash), missing);
  REQUIRE(parent != nullptr);
  const auto name = at.substr(slash + 1);
  if (auto* list = parent->if_array()) {
    list->erase(list->begin() + std::stoi(name));
    return document;
  }
  auto& object = parent->as_object();
  REQUIRE(object.contains(name));
  if (const auto* value = how.as_object().if_contains("becomes"))
    object[name] = *value;
  else
    object.stable_erase(name);
  return document;
}

/// `/steps/1/step_id` as rules write it.
std::string path_of(const std::string& pointer) {
  std::string path;
  for (std::size_t from = 1; from <= pointer.size();) {
    const auto end = std::min(pointer.find('/', from), pointer.size());
    const auto part = pointer.substr(from, end - from);
    if (part.find_first_not_of("0123456789") == std::string::npos)
      path += '[' + part + ']';
    else
      path += (path.empty() ? "" : ".") + part;
    from = end + 1;
  }
  return path;
}

const invariant& rule_of(const std::string& id) {
  const auto& all = embedded_invariants().value();
  const auto found = std::ranges::find(all.all(), id, &invariant::id);
  REQUIRE(found != all.all().end());
  return *found;
}

/// The sample that a case starts from.
sample start_of(const json::value& how, const invariant& rule) {
  return find_sample(
    text_at(how, "document", std::string{to_word(rule.scope)}));
}

} // namespace

TEST_CASE("every rule of the data has a case, and every case a rule") {
  std::set<std::string> rules;
  for (const auto& rule : embedded_invariants().value().all())
    rules.insert(rule.id);
  std::set<std::string> cases;
  const auto list = read_json("tests/protocol/invariants/cases.json");
  for (const auto& one : list.as_array())
    cases.insert(text_at(one, "rule"));
  CHECK(rules == cases);
}

TEST_CASE("every rule holds in its good case and is broken in its bad one") {
  const auto cases = read_json("tests/protocol/invariants/cases.json");
  for (const auto& how : cases.as_array()) {
    const auto id = text_at(how, "rule");
    INFO(id);
    const auto rules = rules_of({id});
    if (how.as_object().contains("good")) {
      CHECK(broken_by_events(rules, how.at("good").as_array()).empty());
      CHECK(broken_by_events(rules, how.at("bad").as_array())
            == std::vector{id});
      continue;
    }
    const auto start = start_of(how, rule_of(id));
    const auto related = related_samples(rules);
    const auto good = check_rules(rules, start.scope(), start.document,
                                  related);
    CHECK(good.checked == 1);
    CHECK(good.broken.empty());
    const auto bad = check_rules(rules, start.scope(),
                                 spoil(start.document, how), related);
    REQUIRE(bad.broken.size() == 1);
    const auto& broken = bad.broken[0];
    CHECK(broken.rule->id == id);
    CHECK(broken.path
          == text_at(how, "path", path_of('/' + text_at(how, "at"))));
    CHECK_FALSE(broken.message.empty());
    const bool warns = rule_of(id).level == invariant_level::warning;
    CHECK(bad.errors == (warns ? 0 : 1));
    CHECK(bad.warnings == (warns ? 1 : 0));
  }
}

TEST_CASE("rules say of themselves whether the schema demands the same") {
  const auto cases = read_json("tests/protocol/invariants/cases.json");
  for (const auto& how : cases.as_array()) {
    const auto id = text_at(how, "rule");
    const auto& rule = rule_of(id);
    const auto schema_named = [&](std::string_view name) {
      return std::ranges::find(rule.demanded_by, name)
             != rule.demanded_by.end();
    };
    if (how.as_object().contains("good")) {
      CHECK(std::ranges::none_of(rule.demanded_by, [](const auto& by) {
        return by.ends_with(".schema.json");
      }));
      continue;
    }
    const auto start = start_of(how, rule);
    const auto schema = embedded_schema(start.schema).value();
    INFO(id);
    CHECK(validate(schema, start.document).valid);
    CHECK(!validate(schema, spoil(start.document, how)).valid
          == schema_named(start.schema + ".schema.json"));
  }
}

TEST_CASE("no rule minds what kind of value it finds") {
  const auto& all = embedded_invariants().value();
  const auto related = related_samples(all);
  const std::vector<json::value> odd{nullptr,
                                     true,
                                     -1,
                                     1e300,
                                     "",
                                     "\xf0\x9f\x98\x80",
                                     json::array{},
                                     json::object{},
                                     json::array{nullptr, 1, "a",
                                                 json::array{}}};
  const auto samples = read_json("tests/protocol/invariants/documents.json");
  for (const auto& entry : samples.as_object()) {
    const auto start = find_sample(std::string{entry.key()});
    if (start.scope() == invariant_scope::role)
      continue; // no rule looks at one
    for (const auto& member : start.document.as_object())
      for (const auto& value : odd) {
        auto document = start.document;
        document.as_object()[member.key()] = value;
        const auto found = check_rules(all, start.scope(), document, related);
        CHECK(found.broken.size() <= broken_rules_kept);
        CHECK(found.checked > 0);
      }
    for (const auto& value : odd)
      CHECK(check_rules(all, start.scope(), value, related).errors > 0);
  }
}

TEST_CASE(
  "a missing value breaks its rule unless the rule is for present ones") {
  const auto cases = read_json("tests/protocol/invariants/cases.json");
  for (const auto& how : cases.as_array()) {
    const auto id = text_at(how, "rule");
    const auto& rule = rule_of(id);
    if (rule.rule_text.empty() || how.as_object().contains("path"))
      continue;
    INFO(id);
    auto absent = how.as_object();
    absent.erase("becomes");
    const auto rules = rules_of({id});
    const auto start = start_of(how, rule);
    const auto found = check_rules(rules, start.scope(),
                                   spoil(start.document, absent),
                                   related_samples(rules));
    CHECK((found.broken.empty()) == rule.when_present);
    if (!found.broken.empty())
      CHECK(found.broken[0].message == "is missing");
  }
}
