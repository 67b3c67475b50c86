#include <protocol/strict/samples.hpp>
#include <support/random_session.hpp>

using namespace convene::test;
using namespace convene::protocol;

namespace {

error refused(const json::value& native) {
  alias_table aliases;
  collect_ids(native, 0, aliases);
  REQUIRE(aliases.settle());
  reading_notes notes;
  const auto made = to_strict(native, 0, aliases, notes);
  CAPTURE(json::serialize(native));
  REQUIRE_FALSE(made);
  return made.error();
}

/// Puts something else in the place of one value somewhere in the document.
void mutate(json::value& at, dice& d) {
  const std::vector<json::value> others{
    nullptr,
    7,
    -1.5,
    true,
    "",
    "text",
    json::array{},
    json::object{},
    json::array{"a", json::object{{"native", 1}}}};
  if (auto* object = at.if_object();
      object != nullptr && !object->empty() && d.chance(90)) {
    auto member = object->begin();
    std::advance(member, d.below(object->size()));
    if (d.chance(10))
      object->erase(member);
    else
      mutate(member->value(), d);
  } else if (auto* array = at.if_array();
             array != nullptr && !array->empty() && d.chance(90)) {
    mutate((*array)[d.below(array->size())], d);
  } else {
    at = d.one_of(others);
  }
}

} // namespace

TEST_CASE("what cannot be mapped is refused with its place and its rule") {
  auto no_title = parsed(seed_collab);
  no_title.as_object().erase("title");
  CHECK(refused(no_title).rule == "required");

  auto wrong_type = parsed(seed_collab);
  wrong_type.as_object()["participants"].as_array()[1].as_object()["kind"]
    = "robot";
  CHECK(refused(wrong_type).pointer == "/participants/1/kind");

  auto wrong_id = parsed(seed_dialog);
  wrong_id.as_object()["context_id"] = 7;
  CHECK(refused(wrong_id).pointer == "/context_id");

  auto huge_id = parsed(seed_dialog);
  huge_id.as_object()["context_id"] = std::string(2'000, 'x');
  CHECK(refused(huge_id).rule == "pattern");

  auto no_payload = seed_events().front();
  no_payload.as_object()["payload"] = json::array{};
  CHECK(refused(no_payload).pointer == "/payload");

  auto unknown = seed_events().front();
  unknown.as_object()["event_type"] = "MAPSessionPaused";
  CHECK(refused(unknown).pointer == "/event_type");

  for (const auto* nothing :
       {"{}", "[]", "7", R"({"name": "a package"})",
        R"({"convene": "1", "collab": {}})", R"({"event_type": "what"})"})
    CHECK(refused(parsed(nothing)).rule == "schema");
  CHECK(refused(no_title).code == errc::invalid_document);
}

TEST_CASE("a mutated document is refused, or exports and comes back") {
  std::vector<json::value> natives = seed_events();
  natives.push_back(parsed(seed_dialog));
  natives.push_back(parsed(seed_collab));
  dice d{7};
  std::size_t good = 0;
  std::size_t bad = 0;
  for (int i = 0; i < 6'000; ++i) {
    auto native = d.one_of(natives);
    for (auto n = 1 + d.below(3); n > 0; --n)
      mutate(native, d);
    alias_table aliases;
    collect_ids(native, 0, aliases);
    REQUIRE(aliases.settle());
    reading_notes notes;
    const auto made = to_strict(native, 0, aliases, notes);
    CAPTURE(i, json::serialize(native));
    if (!made) {
      ++bad;
      REQUIRE(made.error().code == errc::invalid_document);
      continue;
    }
    ++good;
    REQUIRE(violations(made->schema, made->value).empty());
    const auto back = to_native(made->value, aliases);
    REQUIRE(back);
    REQUIRE(json::serialize(*back) == json::serialize(native));
  }
  CHECK(good > 300);
  CHECK(bad > 300);
}

TEST_CASE("a mutated strict form never comes back as a crash") {
  const auto strict = exported(seed_events());
  const alias_table none;
  dice d{8};
  for (int i = 0; i < 5'000; ++i) {
    auto changed = d.one_of(strict);
    mutate(changed, d);
    if (const auto back = to_native(changed, none); !back)
      REQUIRE(back.error().rule == "edit");
  }
}

TEST_CASE("a document with many unknown members takes linear time") {
  auto native = parsed(seed_collab);
  for (int i = 0; i < 100'000; ++i)
    native.as_object()["x" + std::to_string(i)] = i;
  alias_table aliases;
  reading_notes notes;
  CHECK(exported({native}, aliases, notes).size() == 1);
  CHECK(notes.first.size() == reading_notes_max);
  CHECK(notes.total > 100'000);
}
