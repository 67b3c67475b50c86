#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <protocol/checks/filler.hpp>
#include <protocol/values/types.hpp>
#include <rapidcheck.h>

using namespace convene::protocol;

namespace {

template <class T>
T random_value(std::uint32_t seed) {
  T made;
  filler fill{seed};
  describe(fill, made);
  make_strict(made);
  return made;
}

/// What the schema says against a document, a line each.
std::string violations(const compiled_schema& schema,
                       const json::value& document) {
  std::string all;
  for (const auto& found : validate(schema, document).violations)
    all += found.text + '\n';
  return all;
}

/// Changes one thing somewhere in a document.
class mutator {
public:
  explicit mutator(std::uint32_t seed) : random_{seed % 2'000'000'000 + 1} {
    // nop
  }

  void change(json::value& document) {
    auto* at = &document;
    while (true) { // down to a random place
      auto* const inside = descend(*at);
      if (inside == nullptr || random_() % 4 == 0)
        break;
      at = inside;
    }
    auto* object = at->if_object();
    auto* items = at->if_array();
    if (object && random_() % 3 == 0)
      (*object)["zzz"] = 1;
    else if (object && !object->empty() && random_() % 2 == 0)
      object->erase(std::next(object->begin(), pick(object->size())));
    else if (items && !items->empty() && random_() % 2 == 0)
      items->push_back(json::value(items->at(random_() % items->size())));
    else
      *at = replacement();
  }

private:
  std::ptrdiff_t pick(std::size_t size) {
    return static_cast<std::ptrdiff_t>(random_() % size);
  }

  json::value* descend(json::value& at) {
    if (auto* object = at.if_object(); object && !object->empty())
      return &std::next(object->begin(), pick(object->size()))->value();
    if (auto* items = at.if_array(); items && !items->empty())
      return &(*items)[random_() % items->size()];
    return nullptr;
  }

  json::value replacement() {
    static const json::value all[]{nullptr,
                                   true,
                                   0,
                                   -1,
                                   2.0,
                                   0.5,
                                   -0.5,
                                   5.5,
                                   "",
                                   "nonsense",
                                   "Plan",
                                   "1.2.3-01",
                                   "1.02.3",
                                   "1.2.3-0a",
                                   "completed",
                                   json::object{},
                                   "a@b",
                                   "2026-02-30T00:00:00Z",
                                   json::array{},
                                   "x:y",
                                   "0f9b7c5e-1a2b-4c3d-8e4f-5a6b7c8d9e0f",
                                   json::array{1},
                                   "a.b",
                                   "0F9B7C5E-1A2B-1C3D-8E4F-5A6B7C8D9E0F",
                                   {{"zzz", 1}}};
    return all[random_() % std::size(all)];
  }

  std::minstd_rand random_;
};

/// The verdicts of codec and schema on one document with a change. An error is
/// where the schema's is, if the schema has just one.
template <class T>
void check_verdict(const compiled_schema& schema, std::uint32_t seed) {
  auto document = encode(random_value<T>(seed));
  mutator{seed ^ 0x5555}.change(document);
  const auto decoded = decode<T>(document);
  const auto outcome = validate(schema, document);
  INFO(json::serialize(document));
  INFO(violations(schema, document));
  INFO((decoded ? "decoded" : to_string(decoded.error())));
  REQUIRE(decoded.has_value() == outcome.valid);
  if (decoded) {
    const auto written = encode(*decoded);
    CHECK(decode<T>(written) == decoded);
    // A whole number may have come as 2.0, which goes out as 2.
    if (json::serialize(document).find("2E0") == std::string::npos)
      CHECK(written == document);
    return;
  }
  CHECK_FALSE(decoded.error().rule.empty());
  if (outcome.violations.size() != 1)
    return;
  const auto& only = outcome.violations.front();
  CHECK(decoded.error().pointer.starts_with(only.instance_pointer));
  // A constant or a word of another type is a wrong type to the codec.
  if (decoded.error().rule != "type")
    CHECK(decoded.error().rule == only.keyword);
}

} // namespace

TEST_CASE("a random value is valid by its schema and survives its text") {
  for_each_type([]<class T>(std::string_view name) {
    const auto schema = embedded_schema(name).value();
    INFO(name);
    CHECK(rc::check([&](std::uint32_t seed) {
      const auto value = random_value<T>(seed);
      const auto written = encode(value);
      const auto wrong = violations(schema, written);
      if (!wrong.empty())
        RC_FAIL(json::serialize(written) + '\n' + wrong);
      const auto read_back = parse_json(json::serialize(written));
      RC_ASSERT(read_back.has_value());
      RC_ASSERT((*read_back == written));
      const auto decoded = decode<T>(*read_back);
      RC_ASSERT(decoded.has_value());
      RC_ASSERT((*decoded == value));
    }));
  });
}

TEST_CASE("a document with one change is refused exactly if its schema does") {
  for_each_type([]<class T>(std::string_view name) {
    const auto schema = embedded_schema(name).value();
    for (std::uint32_t seed = 1; seed <= 400; ++seed) {
      INFO(name << ", seed " << seed);
      check_verdict<T>(schema, seed * 7919);
    }
  });
}

TEST_CASE("each member that is missing or of another type is named") {
  for_each_type([]<class T>(std::string_view name) {
    const auto document = encode(random_value<T>(1)).as_object();
    for (const auto& member : document) {
      INFO(name << " " << member.key());
      auto changed = document;
      // What an object may hold at most is an object, or nothing.
      changed[member.key()] = 0.25;
      const auto wrong = decode<T>(changed);
      if (member.key() == "x_other")
        continue;
      REQUIRE_FALSE(wrong);
      CHECK(wrong.error().pointer == '/' + std::string{member.key()});
      changed.erase(member.key());
      const auto without = decode<T>(changed);
      if (without)
        continue;
      CHECK(without.error().pointer.empty());
      CHECK(without.error().rule == "required");
      CHECK(without.error().message.find(std::string{member.key()})
            != std::string::npos);
    }
  });
}
