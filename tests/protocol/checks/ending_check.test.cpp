#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/checks/ending_check.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace convene::protocol;

namespace {

using ending_lines = std::vector<std::pair<std::string, std::string>>;

/// The rules that a session of three in turns breaks, in order.
std::vector<std::string> broken_endings(const ending_lines& lines) {
  session_facts three;
  three.policy = "round_robin";
  for (const auto* who : {"ann", "bob", "cleo"})
    three.people[who] = {};
  std::vector<std::string> rules;
  const report_finding note = [&](std::string_view rule, const std::string&) {
    rules.emplace_back(rule);
  };
  ending_check check;
  const json::object none;
  for (const auto& [type, payload] : lines)
    check.feed({type, indexed_members{none},
                indexed_members{json::parse(payload).as_object()}, 0, three,
                note});
  return rules;
}

std::pair<std::string, std::string> turn_of(const std::string& who,
                                            bool says_end) {
  return {"MAPTurnCompleted", R"({"status":"completed","participant_id":")"
                                + who + R"(","reply":{"end":)"
                                + (says_end ? "true" : "false") + "}}"};
}

const std::pair<std::string, std::string> conflict{"MAPConflictDetected",
                                                   R"({"conflict_id":"c"})"};
const std::pair<std::string, std::string> settled{"MAPConflictResolved",
                                                  R"({"conflict_id":"c"})"};
const std::pair<std::string, std::string> bob_is_lost{
  "session_input", R"({"input":"participant_down","participant_id":"bob"})"};
const std::pair<std::string, std::string> suspended{
  "session_input", R"({"input":"suspend","reason":"a fault"})"};
const std::pair<std::string, std::string> goes_on{"session_input",
                                                  R"({"input":"resume"})"};
const std::pair<std::string, std::string> ends_by_votes{
  "MAPSessionCompleted",
  R"({"status":"completed","turns_total":2,"stop_reason":)"
  R"({"condition":"end_votes","observed":"2","limit":2}})"};
const std::vector<std::string> mismatch{"stop_reason_matches"};

} // namespace

TEST_CASE("an end by votes counts those of when it was found") {
  CHECK(
    broken_endings({turn_of("ann", true), turn_of("bob", true), ends_by_votes})
      .empty());
  CHECK(
    broken_endings({turn_of("ann", true), turn_of("bob", false), ends_by_votes})
    == mismatch);
  // It waited for a conflict, while one of the two was lost.
  CHECK(broken_endings({turn_of("ann", true), conflict, turn_of("bob", true),
                        bob_is_lost, settled, ends_by_votes})
          .empty());
  // Or for the session to go on.
  CHECK(
    broken_endings({turn_of("ann", true), conflict, turn_of("bob", true),
                    suspended, settled, bob_is_lost, goes_on, ends_by_votes})
      .empty());
  CHECK(broken_endings({turn_of("ann", true), suspended, goes_on,
                        turn_of("bob", true), bob_is_lost, ends_by_votes})
        == mismatch);
  // Nothing kept this one from ending before.
  CHECK(broken_endings({turn_of("ann", true), turn_of("bob", true), bob_is_lost,
                        ends_by_votes})
        == mismatch);
  CHECK(broken_endings({turn_of("ann", true), conflict, turn_of("bob", true),
                        settled, bob_is_lost, turn_of("cleo", false),
                        ends_by_votes})
        == mismatch);
}
