#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/checks/outcome_check.hpp>
#include <convene/protocol/documents/action_codec.hpp>
#include <convene/protocol/documents/approval.hpp>

#include <functional>
#include <set>
#include <string>
#include <vector>

using namespace convene::protocol;

namespace {

using approval_lines = std::vector<json::value>;

const json::value with_approval = json::parse(R"({
  "ann": {"type": "llm", "model": "m", "tools": ["s/*"], "approve": ["s/w*"]},
  "bob": {"type": "process", "command": ["prog", "x"], "approve": true}})");

json::value line_of(const char* type, const char* who,
                    std::string_view position, json::object more) {
  more["participant_id"] = who;
  more["token_id"] = "t";
  more["position"] = position;
  more["input"] = "action";
  return {{"event_type", type}, {"payload", std::move(more)}};
}

json::value start_of(const char* who, const action& what) {
  return line_of("action_started", who, what.position, encode(what));
}

json::value end_of(const char* who, std::string_view position,
                   const action_result& how) {
  return line_of("action_ended", who, position, {{"result", encode(how)}});
}

action a_write() {
  return {.position = "1.1",
          .kind = action_kind::mcp,
          .name = "s/write",
          .arguments = {{"q", 7}}};
}

/// A model calls a tool, a person approves that, and it is called.
approval_lines approved_by(bool says = true) {
  const action model{.position = "1.0",
                     .kind = action_kind::model,
                     .name = "m",
                     .arguments = {{"provider", "openai"},
                                   {"model", "m"},
                                   {"prompt_sha256", std::string(64, 'a')}},
                     .repeatable = true};
  const auto question = approval_of(a_write(), "ann", "eve", true);
  return {start_of("ann", model),
          end_of("ann", "1.0", {.output = json::parse(R"({"tool_calls":[
                    {"name":"s__write","arguments":"{\"q\":7}"}]})")}),
          start_of("ann", question),
          end_of("ann", question.position,
                 {.output = approval_output({says, ""}, "eve", "s/write")}),
          start_of("ann", a_write()),
          end_of("ann", "1.1", {.output = json::object{}})};
}

std::set<std::string> rules_broken_in(const approval_lines& lines) {
  session_facts facts;
  facts.started = true;
  facts.behaviours = with_approval.as_object();
  std::set<std::string> found;
  const report_finding note = [&](std::string_view rule, const std::string&) {
    found.emplace(rule);
  };
  outcome_check check;
  for (const auto& line : lines) {
    const auto& whole = line.as_object();
    check.feed({text_of(whole, "event_type"), indexed_members{whole},
                indexed_members{object_of(whole, "payload")}, 0, facts, note});
  }
  return found;
}

using found_rules = std::set<std::string>;

} // namespace

TEST_CASE("a call that a person approved is as the scenario says") {
  CHECK(rules_broken_in(approved_by()).empty());
}

TEST_CASE("a call without an approval of exactly it is found") {
  CHECK(rules_broken_in(approved_by(false)) == found_rules{"approvals_given"});
  auto lines = approved_by();
  lines.erase(lines.begin() + 2, lines.begin() + 4);
  CHECK(rules_broken_in(lines) == found_rules{"approvals_given"});
  lines = approved_by(); // it did not wait for the answer
  std::swap(lines[3], lines[4]);
  CHECK(rules_broken_in(lines) == found_rules{"approvals_given"});
  lines = approved_by(); // the question has ended without an answer
  lines[3].at_pointer("/payload").as_object().erase("input");
  CHECK(rules_broken_in(lines) == found_rules{"approvals_given"});
}

TEST_CASE("an approval of another call is found") {
  for (const auto& [pointer, value] :
       std::vector<std::pair<std::string, json::value>>{
         {"/payload/arguments/arguments/q", 8},
         {"/payload/arguments/name", "s/wipe"},
         {"/payload/arguments/kind", "http"},
         {"/payload/position", "1.2.approval.0123456789abcdef"}}) {
    auto lines = approved_by();
    lines[2].at_pointer(pointer) = value;
    CHECK(rules_broken_in(lines).contains("approvals_given"));
  }
  auto lines = approved_by();
  lines[2].at_pointer("/payload/arguments/sha256") = std::string(64, '0');
  CHECK(rules_broken_in(lines) == found_rules{"actions_match_behaviour"});
}

TEST_CASE("an approval before a suspension counts after it") {
  auto lines = approved_by();
  for (std::size_t i = 0; i < 4; ++i)
    lines[i].at_pointer("/payload/token_id") = "earlier";
  lines.insert(lines.begin() + 4,
               json::value{{"event_type", "session_input"},
                           {"payload", {{"input", "suspend"}}}});
  CHECK(rules_broken_in(lines).empty());
}

TEST_CASE("a program that a person approves is not started before") {
  const action run{.position = "0",
                   .kind = action_kind::process,
                   .name = "prog",
                   .arguments = {{"command", {"prog", "x"}}},
                   .question = "q"};
  const auto question = approval_of(run, "bob", "approver", true);
  const approval_lines lines{
    start_of("bob", question),
    end_of("bob", question.position,
           {.output = approval_output({true, ""}, "approver", "prog")}),
    start_of("bob", run)};
  CHECK(rules_broken_in(lines).empty());
  CHECK(rules_broken_in({lines[2]}) == found_rules{"approvals_given"});
}
