#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/checks/rights_check.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace convene::protocol;

namespace {

using event_lines = std::vector<std::pair<std::string, std::string>>;

/// What is reported about these events of a session in which ann may write
/// documents, bob by its role's name nothing, and cleo everything.
std::vector<std::string> broken_rights(const event_lines& lines) {
  std::vector<std::string> found;
  const report_finding note = [&](std::string_view rule, const std::string&) {
    found.emplace_back(rule);
  };
  rights_check check;
  const std::string start = R"({"spec": {
    "roles": [{"role_id": "r1", "name": "writer", "capabilities": ["doc.write"]},
              {"role_id": "r2", "name": "reader", "capabilities": []},
              {"role_id": "r3", "name": "lead"}],
    "collab": {"participants": [
      {"participant_id": "ann", "role_id": "r1"},
      {"participant_id": "bob", "role_id": "reader"},
      {"participant_id": "cleo", "role_id": "r3"},
      {"participant_id": "dan", "role_id": "no document"}]}}})";
  check.feed("MAPSessionStarted",
             indexed_members{json::parse(start).as_object()}, note);
  for (const auto& [type, payload] : lines)
    check.feed(type, indexed_members{json::parse(payload).as_object()}, note);
  return found;
}

std::pair<std::string, std::string> write_of(const std::string& who,
                                             const std::string& type,
                                             const std::string& rest = "") {
  return {"resource_written", R"({"participant_id":")" + who
                                + R"(","resource_id":"a","resource_type":")"
                                + type + '"' + rest + '}'};
}

const std::vector<std::string> not_allowed{"write_allowed"};
const std::pair<std::string, std::string> turn_of_cleo{
  "MAPTurnDispatched",
  R"({"participant_id":"cleo","token_id":"t","step_id":"a"})"};
const std::pair<std::string, std::string> its_end{
  "MAPTurnCompleted", R"({"participant_id":"cleo","token_id":"t"})"};

} // namespace

TEST_CASE("a participant writes what the list of its role grants") {
  CHECK(broken_rights({write_of("ann", "doc"), write_of("cleo", "code"),
                       write_of("dan", "code")})
          .empty());
  CHECK(broken_rights({write_of("ann", "code")}) == not_allowed);
  CHECK(broken_rights({write_of("bob", "doc")}) == not_allowed);
}

TEST_CASE("nobody writes a step on which a turn of another works") {
  const auto by_cleo = write_of("cleo", "plan_step");
  const auto by_dan = write_of("dan", "plan_step");
  CHECK(broken_rights({turn_of_cleo, by_cleo, its_end, by_dan}).empty());
  CHECK(broken_rights({turn_of_cleo, by_dan}) == not_allowed);
  // A document of that name is none, and a conflict may have decided so.
  CHECK(broken_rights({turn_of_cleo, write_of("dan", "doc"),
                       write_of("dan", "plan_step", R"(,"conflict_id":"c")")})
          .empty());
}
