#include "program.hpp"

#include <convene/protocol/json/json_text.hpp>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;

TEST_CASE("the lifecycles are listed with their statuses") {
  const auto text = run({"lifecycle", "list"});
  CHECK(text.code == 0);
  CHECK(text.err.empty());
  CHECK_THAT(text.out, Contains("dialog       active paused completed")
                         && Contains("role         has no status"));
  const auto as_json = parse_json(run({"lifecycle", "list", "--json"}).out);
  REQUIRE(as_json);
  CHECK(as_json->at("lifecycles").as_array().size() == 14);
}

TEST_CASE("a lifecycle is shown as a table and as JSON") {
  const auto text = run({"lifecycle", "show", "plan"});
  CHECK(text.code == 0);
  CHECK_THAT(text.out, Contains("| draft | proposed | submit for review | "
                                "plan_valid | plan_status_changed, "
                                "plan_updated |\n"));
  const auto as_json
    = parse_json(run({"lifecycle", "show", "plan", "--json"}).out);
  REQUIRE(as_json);
  CHECK(as_json->at("moves").as_array().size() == 9);
  const auto all = parse_json(run({"lifecycle", "show", "--json"}).out);
  REQUIRE(all);
  CHECK(all->at("lifecycles").as_array().size() == 14);
  CHECK_THAT(run({"lifecycle", "show"}).out, Contains(text.out));
}

TEST_CASE("a lifecycle with the name of a command is shown, too") {
  const auto text = run({"lifecycle", "show", "dialog"});
  CHECK(text.code == 0);
  CHECK_THAT(text.out, Contains("## dialog"));
}

TEST_CASE("a move that is allowed is told with its needs and events") {
  const auto text
    = run({"lifecycle", "check", "plan", "approved", "in_progress"});
  CHECK(text.code == 0);
  CHECK(text.out
        == "plan approved to in_progress: allowed if it has a step, and if "
           "its Context is active\nevents: plan_status_changed plan_updated\n");
  const auto as_json = parse_json(
    run({"lifecycle", "check", "collab", "new", "draft", "--json"}).out);
  REQUIRE(as_json);
  CHECK(as_json->at("allowed") == true);
  CHECK(as_json->at("events").at(0).at("event_type") == "collab_created");
}

TEST_CASE("a move that is not allowed is told with what is, and exits with 1") {
  const auto text = run({"lifecycle", "check", "plan", "draft", "approved"});
  CHECK(text.code == 1);
  CHECK(text.err.empty());
  CHECK(text.out
        == "plan: no way from \"draft\" to \"approved\"; allowed: proposed, "
           "cancelled; go by proposed, approved\n");
  const auto as_json
    = run({"lifecycle", "check", "plan", "draft", "approved", "--json"});
  CHECK(as_json.code == 1);
  const auto document = parse_json(as_json.out);
  REQUIRE(document);
  CHECK(document->at("allowed") == false);
  CHECK(document->at("next").as_array().size() == 2);
  CHECK(document->at("route").as_array().size() == 2);
}

TEST_CASE("the readings of the protocol can be asked for") {
  const auto asked = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"lifecycle", "check"});
    return run(arguments).code;
  };
  CHECK(asked({"extension", "inactive", "active"}) == 1);
  CHECK(asked({"extension", "inactive", "active", "--extensions-return"}) == 0);
  CHECK(asked({"confirm", "pending", "rejected"}) == 0);
  CHECK(asked({"confirm", "pending", "rejected", "--several-rounds"}) == 1);
  CHECK(asked({"confirm", "pending", "override", "--native-words"}) == 0);
  CHECK(asked({"confirm", "pending", "override"}) == 2);
}

TEST_CASE("lifecycles and statuses that are not there are usage errors") {
  const auto refused = run({"lifecycle", "show", "collabs"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("\"collab\"") && Contains("lifecycle list"));
  const auto status
    = run({"lifecycle", "check", "plan", "drafft", "proposed", "--json"});
  CHECK(status.code == 2);
  CHECK_THAT(status.out, Contains("did you mean \\\"draft\\\""));
  for (const auto& arguments : std::vector<std::vector<std::string>>{
         {"lifecycle"}, {"lifecycle", "check", "plan"}, {"lifecycle", "x"}})
    CHECK(run(arguments).code == 2);
}

TEST_CASE("a mode that was recommended is an event") {
  const scratch_folder at;
  const auto events = (at / "events.jsonl").string();
  REQUIRE(run({"recommend", "--participants", "2", "--events", events}).code
          == 0);
  CHECK(run({"validate", events, "--invariants"}).code == 0);
  const auto event = parse_json(read_bytes(events));
  REQUIRE(event);
  CHECK(event->at("event_type") == "methodology_selected");
  CHECK(event->at("event_family") == "methodology");
  CHECK(event->at("payload").at("mode") == "pair");
  CHECK(event->at("payload").at("participants") == 2);
  CHECK(run({"recommend", "--participants", "2", "--events",
             (at / "none/events.jsonl").string()})
          .code
        == 2);
}

TEST_CASE("a mode is recommended with its reason") {
  const auto text = run({"recommend", "--participants", "4", "--control"});
  CHECK(text.code == 0);
  CHECK_THAT(text.out, Contains("orchestrated: three or more"));
  const auto as_json = parse_json(
    run({"recommend", "--participants", "2", "--task", "peer_review", "--json"})
      .out);
  REQUIRE(as_json);
  CHECK(as_json->at("mode") == "pair");
  CHECK_FALSE(as_json->at("reason").as_string().empty());
  for (const auto& arguments : std::vector<std::vector<std::string>>{
         {"recommend"},
         {"recommend", "--participants", "0"},
         {"recommend", "--participants", "2", "--task", "chess"}})
    CHECK(run(arguments).code == 2);
}
