#include "documents.hpp"

#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/lifecycle/rounds.hpp>

#include <algorithm>

using namespace convene::tests;

namespace {

using enum decision_status;

const lifecycle_policy one_round;
const lifecycle_policy rounds{.several_rounds = true};

confirm pending() {
  return *decode<confirm>(make(module::confirm));
}

confirm_decision decision(int number, decision_status status) {
  return {.decision_id = id(number),
          .status = status,
          .decided_by_role = "lead",
          .decided_at = "2026-01-01T00:00:00.000Z"};
}

std::vector<std::string> types(const lifecycle_events& events) {
  std::vector<std::string> all;
  for (const auto& event : events)
    all.push_back(event.type);
  return all;
}

/// The Confirm as a document, with a decision for each status.
json::object document(std::string_view status,
                      const std::vector<decision_status>& decisions) {
  auto made = make(module::confirm);
  made["status"] = status;
  json::array all;
  for (const auto one : decisions)
    all.push_back({{"decision_id", id(40 + static_cast<int>(all.size()))},
                   {"status", to_word(one)},
                   {"decided_by_role", "lead"},
                   {"decided_at", "2026-01-01T00:00:00.000Z"}});
  made["decisions"] = std::move(all);
  return made;
}

std::string changed(const json::object& before, const json::object& after,
                    const lifecycle_policy& policy) {
  const auto all = full_world();
  const auto made = check_change(module::confirm, &before, after, all.lookup(),
                                 policy);
  if (!made)
    return made.error().rule;
  std::string text;
  for (const auto& event : *made)
    text += event.type + ' ';
  return text;
}

} // namespace

TEST_CASE("decisions come to the first one, or to the first no rejection") {
  using all = std::vector<decision_status>;
  const std::vector<std::tuple<all, confirm_status, confirm_status>> cases{
    {{}, confirm_status::pending, confirm_status::pending},
    {{approved}, confirm_status::approved, confirm_status::approved},
    {{rejected}, confirm_status::rejected, confirm_status::pending},
    {{cancelled}, confirm_status::cancelled, confirm_status::cancelled},
    {{rejected, approved}, confirm_status::rejected, confirm_status::approved},
    {{rejected, rejected}, confirm_status::rejected, confirm_status::pending},
    {{rejected, cancelled},
     confirm_status::rejected,
     confirm_status::cancelled},
    {{approved, rejected}, confirm_status::approved, confirm_status::approved},
  };
  for (const auto& [decisions, once, often] : cases) {
    CHECK(settled_status(decisions) == once);
    CHECK(settled_status(decisions, rounds) == often);
  }
}

TEST_CASE("in one round the first decision settles the Confirm") {
  const std::vector<
    std::tuple<decision_status, confirm_status, std::optional<plan_status>>>
    cases{{approved, confirm_status::approved, plan_status::approved},
          {rejected, confirm_status::rejected, plan_status::draft},
          {cancelled, confirm_status::cancelled, std::nullopt}};
  for (const auto& [status, becomes, plan] : cases) {
    const auto made = decide(pending(), decision(40, status));
    REQUIRE(made);
    CHECK(made->after.status == becomes);
    CHECK(made->plan_becomes == plan);
    CHECK(made->after.decisions->size() == 1);
    CHECK(types(made->events)
          == std::vector<std::string>{"decision_added", "confirm_resolved",
                                      "confirm_updated"});
    const auto again = decide(made->after, decision(41, approved));
    CHECK(again.error().rule == "status_final");
  }
}

TEST_CASE(
  "in several rounds a Plan is rejected, then approved, by one Confirm") {
  const auto first = decide(pending(), decision(40, rejected), rounds);
  REQUIRE(first);
  CHECK(first->after.status == confirm_status::pending);
  CHECK(first->plan_becomes == plan_status::draft);
  CHECK(types(first->events) == std::vector<std::string>{"decision_added"});
  const auto second = decide(first->after, decision(41, approved), rounds);
  REQUIRE(second);
  CHECK(second->after.status == confirm_status::approved);
  CHECK(second->plan_becomes == plan_status::approved);
  CHECK(second->after.decisions->size() == 2);
  CHECK(types(second->events).front() == "decision_added");
  CHECK(violations("confirm", encode(second->after)).empty());
  CHECK(decide(second->after, decision(42, rejected), rounds).error().rule
        == "status_final");
}

TEST_CASE("a decision about something else does nothing to a Plan") {
  auto about = pending();
  about.target_type = confirm_target::extension;
  CHECK(decide(about, decision(40, approved))->plan_becomes == std::nullopt);
}

TEST_CASE("decisions have ids of their own, and a locked Confirm takes none") {
  const auto first = decide(pending(), decision(40, rejected), rounds);
  CHECK(decide(first->after, decision(40, approved), rounds).error().rule
        == "decision_written_once");
  auto locked = pending();
  locked.governance = governance{.locked = true};
  for (const auto status : {approved, rejected, cancelled})
    for (const auto& policy : {one_round, rounds})
      CHECK(decide(locked, decision(40, status), policy).error().rule
            == "locked");
}

TEST_CASE("a Confirm's document moves as its decisions say") {
  const auto open = document("pending", {});
  const std::string settled = "decision_added confirm_resolved "
                              "confirm_updated ";
  struct row {
    std::string status;
    std::vector<decision_status> decisions;
    std::string once;
    std::string often;
  };
  const std::vector<row> cases{
    {"approved", {approved}, settled, settled},
    {"rejected", {rejected}, settled, "status_move"},
    {"cancelled", {cancelled}, settled, settled},
    {"cancelled",
     {},
     "confirm_resolved confirm_updated ",
     "confirm_resolved confirm_updated "},
    {"approved", {}, "decided", "decided"},
    {"rejected", {}, "decided", "status_move"},
    {"approved", {rejected}, "decided", "decided"},
    {"rejected", {approved}, "decided", "status_move"},
    {"pending", {approved}, "decision_settles", "decision_settles"},
    {"pending", {rejected}, "decision_settles", "decision_added "},
    {"approved",
     {rejected, approved},
     "decision_settles",
     "decision_added " + settled},
    {"approved", {approved, approved}, "decision_settles", "decision_settles"},
    {"override", {approved}, "status_known", "status_known"},
  };
  for (const auto& one : cases) {
    const auto after = document(one.status, one.decisions);
    INFO(json::serialize(after));
    CHECK(changed(open, after, one_round) == one.once);
    CHECK(changed(open, after, rounds) == one.often);
  }
  CHECK(changed(open, document("override", {approved}), {.native_words = true})
        == settled);
}

TEST_CASE("what was decided is not changed, taken back or added to") {
  const auto before = document("approved", {approved});
  auto edited = before;
  edited["decisions"].as_array()[0].as_object()["reason"] = "other";
  CHECK(changed(before, edited, one_round) == "decision_written_once");
  CHECK(changed(before, document("approved", {}), one_round)
        == "decision_written_once");
  CHECK(changed(before, document("approved", {approved, approved}), one_round)
        == "decision_settles");
  auto twice = document("pending", {rejected, rejected});
  twice["decisions"].as_array()[1].as_object()["decision_id"] = id(40);
  CHECK(changed(document("pending", {rejected}), twice, rounds)
        == "decision_written_once");
  auto unknown = document("pending", {rejected});
  unknown["decisions"].as_array()[0].as_object()["status"] = "maybe";
  CHECK(changed(document("pending", {}), unknown, rounds) == "status_known");
}
