#include <catch2/catch.hpp>
#include <convene/session/workspace/workspace.hpp>
#include <convene/session/workspace/write.hpp>
#include <rapidcheck.h>

#include <limits>
#include <map>

using namespace convene;
using namespace convene::session;

namespace {

constexpr auto forget_all = std::numeric_limits<std::uint64_t>::max();

resource_version put(workspace& to, std::string_view id, json::value value,
                     std::uint64_t oldest_seen = forget_all) {
  return to.add({"file", id}, std::move(value), {.participant = 1},
                oldest_seen);
}

std::vector<std::string> ids(const std::vector<resource_version>& all) {
  std::vector<std::string> made;
  for (const auto& r : all)
    made.push_back(r->key->id + std::to_string(r->version));
  return made;
}

using texts = std::vector<std::string>;

} // namespace

TEST_CASE("versions of a resource count up by one, deletions too") {
  workspace all;
  CHECK(all.version_of({"file", "a"}) == 0);
  CHECK(put(all, "a", "one")->version == 1);
  CHECK(put(all, "b", "other")->version == 1);
  CHECK(put(all, "a", "two")->version == 2);
  const auto gone = all.add({"file", "a"}, std::nullopt, {}, forget_all);
  CHECK(gone->version == 3);
  CHECK(gone->deleted);
  CHECK(gone->value.is_null());
  CHECK(put(all, "a", "again")->version == 4);
  CHECK(all.find({"file", "a"})->value == "again");
  CHECK(all.at({"file", "a"}, 2)->value == "two");
  CHECK(all.at({"file", "a"}, 5) == nullptr);
  CHECK(all.at({"file", "a"}, 0) == nullptr);
  CHECK(all.find({"doc", "a"}) == nullptr);
  CHECK(all.view().revision() == 5);
}

TEST_CASE("a type and an id are two things") {
  workspace all;
  all.add({"ab", "c"}, 1, {}, 0);
  all.add({"a", "bc"}, 2, {}, 0);
  CHECK(all.find({"ab", "c"})->value == 1);
  CHECK(all.find({"a", "bc"})->value == 2);
  CHECK(all.size() == 2);
}

TEST_CASE("a view keeps showing what stood when it was taken") {
  workspace all;
  put(all, "a", 1);
  put(all, "b", 1);
  const auto before = all.view();
  put(all, "a", 2);
  all.add({"file", "b"}, std::nullopt, {}, forget_all);
  put(all, "c", 1);
  CHECK(before.find({"file", "a"})->value == 1);
  CHECK(before.find({"file", "c"}) == nullptr);
  CHECK(ids(before.resources()) == texts{"a1", "b1"});
  const auto& now = all.view();
  CHECK(now.find({"file", "b"})->deleted);
  CHECK(ids(now.resources()) == texts{"a2", "c1"});
  CHECK(ids(now.changes(before.revision())) == texts{"a2", "b2", "c1"});
  CHECK(now.changes(now.revision()).empty());
  CHECK_FALSE(now == before);
}

TEST_CASE("views agree with a plain map after any writes") {
  CHECK(rc::check([] {
    workspace all;
    std::map<std::string, std::pair<std::uint64_t, int>> plain;
    std::map<std::string, std::uint64_t> changed_at;
    const auto writes = *rc::gen::inRange(0, 1500);
    const auto names = *rc::gen::inRange(1, 300);
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    auto next = seed;
    const auto mark = *rc::gen::inRange(0, 1500);
    std::uint64_t since = 0;
    for (int n = 0; n < writes; ++n) {
      if (n == mark)
        since = all.view().revision();
      next = next * 1664525 + 1013904223;
      const auto id
        = std::to_string((next >> 8) % static_cast<unsigned>(names));
      const auto made = put(all, id, n);
      auto& [version, value] = plain[id];
      ++version;
      value = n;
      changed_at[id] = all.view().revision();
      RC_ASSERT(made->version == version);
    }
    RC_ASSERT(all.view().resources().size() == plain.size());
    std::size_t changed = 0;
    for (const auto& [id, what] : plain) {
      const auto* found = all.view().find({"file", id});
      RC_ASSERT(found != nullptr);
      RC_ASSERT(found->version == what.first);
      RC_ASSERT(found->value == what.second);
      changed += changed_at[id] > since ? 1 : 0;
    }
    const auto changes = all.view().changes(since);
    RC_ASSERT(changes.size() == changed);
    for (const auto& r : changes)
      RC_ASSERT(r->value == plain[r->key->id].second);
  }));
}

TEST_CASE("a version that somebody may still work from is not forgotten") {
  workspace all;
  put(all, "a", 0);
  const auto seen = all.view().revision();
  for (int n = 1; n <= 1000; ++n)
    put(all, "a", n, seen);
  REQUIRE(all.at({"file", "a"}, 1) != nullptr);
  CHECK(all.at({"file", "a"}, 1)->value == 0);
  CHECK(all.history({"file", "a"}).size() == 1001);

  // Nobody works from it any more: a bounded number of versions stays.
  for (int n = 0; n < 100; ++n)
    put(all, "a", n);
  CHECK(all.at({"file", "a"}, 1) == nullptr);
  const auto kept = all.history({"file", "a"});
  CHECK(kept.size() >= versions_kept);
  CHECK(kept.size() < 2 * versions_kept);
  for (std::size_t i = 1; i < kept.size(); ++i)
    CHECK(kept[i]->version == kept[i - 1]->version + 1);
}

TEST_CASE("what is kept is counted, and what is forgotten is given back") {
  workspace all;
  const json::value page(std::string(1000, 'x'));
  for (int n = 0; n < 1000; ++n)
    put(all, "a", page);
  CHECK(all.bytes() < 3 * versions_kept * 1000);
  CHECK(all.check_room({"file", "a"}, 10));
  CHECK(all.check_room({"file", "a"}, workspace_bytes_max).error().rule
        == "workspace_bytes_max");
  CHECK(all.check_room({"", "a"}, 1).error().rule == "resource_name");
  CHECK(all.check_room({"file", ""}, 1).error().rule == "resource_name");
  const std::string longest(resource_id_bytes_max, 'x');
  CHECK(all.check_room({"file", longest}, 1));
  CHECK(all.check_room({"file", longest + "x"}, 1).error().rule
        == "resource_name");
}

TEST_CASE("there are only so many resources, but those can be written") {
  workspace all;
  for (std::size_t n = 0; n < resources_max; ++n)
    put(all, std::to_string(n), 1);
  CHECK(all.check_room({"file", "one more"}, 1).error().rule
        == "resources_max");
  CHECK(all.check_room({"file", "7"}, 1));
}

TEST_CASE("each kind of write makes its value out of the base") {
  using op = protocol::write_op;
  workspace all;
  const auto base = put(all, "a", json::object{{"x", 1}, {"y", 1}});
  auto carried = [&](op how, json::value value, const resource* of) {
    return apply_write({"file", "a", 1, how, std::move(value)}, of);
  };
  CHECK(*carried(op::put, 5, base.get())->value == 5);
  CHECK(*carried(op::merge, json::object{{"x", nullptr}}, base.get())->value
        == json::object{{"y", 1}});
  const json::array patch{{{"op", "replace"}, {"path", "/x"}, {"value", 7}}};
  CHECK(carried(op::patch, patch, base.get())->value->at("x") == 7);
  CHECK_FALSE(carried(op::remove, nullptr, base.get())->value.has_value());
  CHECK(carried(op::remove, nullptr, nullptr).error().rule
        == "resource_absent");
  CHECK(*carried(op::merge, json::object{{"a", 1}}, nullptr)->value
        == json::object{{"a", 1}});
  CHECK(carried(op::patch, patch, nullptr).error().rule == "patch_place");
}
