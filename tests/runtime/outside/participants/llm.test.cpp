#include "runtime/outside/participants/llm_turns.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

#include <algorithm>

using namespace convene;
using namespace convene::tests;
using protocol::reply_status;

namespace {

using calls = std::vector<std::pair<std::string, std::string>>;

/// A turn of ann, who works with bob and a person, on two files.
actors::turn_request turn_of_ann() {
  actors::turn_request asked;
  asked.title = "Review";
  asked.purpose = "Find what breaks";
  asked.participant = "ann";
  asked.role = "role-a";
  asked.role_name = "Author";
  asked.task = "fix the parser";
  asked.turn = 1;
  auto about = std::make_shared<session::session_info>();
  about->participants
    = {{.participant_id = "ann", .role_id = "role-a"},
       {.participant_id = "bob", .role_id = "role-b"},
       {.participant_id = "eve", .kind = protocol::participant_kind::human}};
  about->role_names = {"Author", "Reviewer", ""};
  asked.about = std::move(about);
  asked.window.add({.participant = 1, .content = "the parser is broken"});
  asked.workspace = session::workspace_view::from_json(json::parse(R"({
    "revision": 3, "resources": [
      {"type": "file", "id": "a.txt", "version": 4, "revision": 2,
       "value": "hello"},
      {"type": "file", "id": "b.txt", "version": 1, "revision": 3,
       "value": {"x": 1}}]})"))
                      .value();
  return asked;
}

actors::turn_request a_decision() {
  auto asked = turn_of_ann();
  asked.kind = session::request_kind::decision;
  asked.decide.participants
    = {{.participant = "bob", .role = "role-b"},
       {.participant = "eve", .kind = protocol::participant_kind::human}};
  asked.decide.last_participant = "bob";
  asked.decide.last_status = "completed";
  asked.decide.last_content = "I am done";
  return asked;
}

actors::turn_request a_vote() {
  auto asked = turn_of_ann();
  asked.kind = session::request_kind::vote;
  asked.dispute = {.conflict_id = "c-1",
                   .resource_type = "file",
                   .resource_id = "a.txt",
                   .sides = {{.participant = "bob", .value = "one"},
                             {.participant = "eve", .deleted = true}}};
  return asked;
}

std::vector<std::string> tool_names(const json::value& prompt) {
  std::vector<std::string> names;
  if (const auto* tools = prompt.as_object().if_contains("tools"))
    for (const auto& each : tools->as_array())
      names.emplace_back(each.at("function").at("name").as_string());
  return names;
}

/// What the model was told last.
std::string last_text(const json::value& prompt) {
  return std::string{
    prompt.at("messages").as_array().back().at("content").as_string()};
}

} // namespace

TEST_CASE("a model is told who it is, what to do and what was said") {
  scripted_model model{{{.text = "I fixed it."}}};
  auto settings = model.settings();
  settings.system = "You write C++.";
  settings.temperature = 0.5;
  const auto got = run_turn(settings, {.api_key = "k-1"}, turn_of_ann());
  CHECK(got.reply == protocol::reply{.content = "I fixed it."});
  const auto prompt = model.prompt(0);
  CHECK(prompt.at("model") == "m");
  CHECK(prompt.at("temperature") == 0.5);
  const auto system
    = std::string{prompt.at("messages").at(0).at("content").as_string()};
  for (const auto* part : {"You write C++.", "ann (Author)", "Find what breaks",
                           "- bob (Reviewer)", "- eve, a person"})
    CHECK(system.find(part) != system.npos);
  const auto user = last_text(prompt);
  for (const auto* part : {"[bob] the parser is broken", "The task: fix the",
                           "- file a.txt: hello", "- file b.txt: {\"x\":1}"})
    CHECK(user.find(part) != user.npos);
  CHECK(tool_names(prompt)
        == std::vector<std::string>{"read_resource", "write_resource",
                                    "hand_off", "end_session"});
  CHECK(model.requests().at(0).find("Authorization: Bearer k-1")
        != std::string::npos);
}

TEST_CASE("a model's call is an action with its tokens and cost") {
  scripted_model model{{{.text = "Done."}}};
  auto settings = model.settings();
  settings.price = {.prompt = 2.5, .completion = 10};
  const auto got = run_turn(settings, {}, turn_of_ann());
  REQUIRE(got.actions.size() == 1);
  const auto& [what, result] = got.actions.front();
  CHECK(what.position == "1.0");
  CHECK(what.kind == protocol::action_kind::model);
  CHECK(what.name == "m");
  CHECK(what.repeatable);
  CHECK(what.arguments.at("provider") == "openai");
  CHECK(what.arguments.at("prompt_sha256").as_string().size() == 64);
  CHECK_FALSE(what.arguments.as_object().contains("prompt"));
  CHECK(result.usage
        == protocol::usage{
          .prompt_tokens = 100, .completion_tokens = 10, .cost_microusd = 350});
  CHECK(got.reply.usage == protocol::usage{});
  CHECK(result.output.at("text") == "Done.");
}

TEST_CASE("the log has the prompt only if it is asked for") {
  scripted_model model{{{.text = "Done."}}};
  const auto got = run_turn(model.settings(), {.log_prompts = true},
                            turn_of_ann());
  CHECK(got.actions.at(0).what.arguments.at("prompt") == model.prompt(0));
}

TEST_CASE("writes, claims and tasks take effect with the reply, once") {
  scripted_model model{
    {{.text = "Let me see.",
      .calls
      = {{"read_resource", R"({"resource_type":"file","resource_id":"a.txt"})"},
         {"write_resource", R"({"resource_type":"file",)"
                            R"("resource_id":"a.txt","value":"new"})"},
         {"claim", R"({"resource_type":"file","resource_id":"b.txt"})"},
         {"add_task", R"({"title":"test it","role":"role-b"})"}}},
     {.text = "Fixed."}}};
  auto asked = turn_of_ann();
  asked.mode = protocol::mode::swarm;
  const auto got = run_turn(model.settings(), {}, asked);
  protocol::reply wanted{.content = "Fixed."};
  wanted.writes = {{.resource_type = "file",
                    .resource_id = "a.txt",
                    .base_version = 4,
                    .value = "new"}};
  wanted.claim = {{.resource_type = "file", .resource_id = "b.txt"}};
  wanted.tasks = {{.title = "test it", .role = "role-b"}};
  CHECK(got.reply == wanted);
  const auto second = model.prompt(1);
  const auto& messages = second.at("messages").as_array();
  REQUIRE(messages.size() == 7);
  CHECK(messages[2].at("tool_calls").as_array().size() == 4);
  CHECK(json::parse(messages[3].at("content").as_string())
        == json::parse(R"({"resource_type":"file","resource_id":"a.txt",)"
                       R"("value":"hello"})"));
  CHECK(messages[4].at("content") == "done");
  CHECK(got.actions.at(1).what.position == "2.0");
}

TEST_CASE("a resource that is written twice has the last value") {
  const std::string name = R"("resource_type":"file","resource_id":"a.txt")";
  scripted_model model{
    {{.calls = {{"write_resource", "{" + name + R"(,"value":1})"},
                {"read_resource", "{" + name + "}"},
                {"write_resource", "{" + name + R"(,"value":2})"}}},
     {.text = "x"}}};
  const auto got = run_turn(model.settings(), {}, turn_of_ann());
  REQUIRE(got.reply.writes.size() == 1);
  CHECK(got.reply.writes[0].value == 2);
  CHECK(got.reply.writes[0].base_version == 4);
  CHECK(
    std::string{model.prompt(1).at("messages").at(4).at("content").as_string()}
      .find(R"("you_wrote":{"op":"put","value":1})")
    != std::string::npos);
}

TEST_CASE(
  "a turn ends with a handoff, an end or a vote, without another call") {
  SECTION("handoff") {
    scripted_model model{
      {{.text = "Yours.",
        .calls = {{"hand_off", R"({"to":"bob","instructions":"check"})"}}}}};
    const auto got = run_turn(model.settings(), {}, turn_of_ann());
    CHECK(got.reply.content == "Yours.");
    CHECK(got.reply.handoff
          == protocol::handoff{.to = "bob", .instructions = "check"});
  }
  SECTION("end") {
    scripted_model model{
      {{.calls = {{"end_session", R"({"content":"Ok."})"}}}}};
    const auto got = run_turn(model.settings(), {}, turn_of_ann());
    CHECK(got.reply == protocol::reply{.content = "Ok.", .end = true});
  }
  SECTION("vote") {
    scripted_model model{{{.calls = {{"vote", R"({"for":"eve"})"}}}}};
    const auto got = run_turn(model.settings(), {}, a_vote());
    CHECK(got.reply.vote == protocol::vote{"c-1", "eve"});
    CHECK(tool_names(model.prompt(0))
          == std::vector<std::string>{"read_resource", "vote"});
    const auto user = last_text(model.prompt(0));
    CHECK(user.find("- bob: \"one\"") != user.npos);
    CHECK(user.find("- eve: deletes it") != user.npos);
  }
}

TEST_CASE("an orchestrator decides by tools that fit the moment") {
  scripted_model model{{{.calls = {{"dispatch", R"({"participant":"bob"})"},
                                   {"ask", R"({"task":"may we?"})"}}}}};
  const auto got = run_turn(model.settings(), {}, a_decision());
  CHECK(got.reply.decision
        == std::vector<protocol::decision>{
          protocol::dispatch_decision{.participant = "bob"},
          protocol::ask_decision{.task = "may we?"}});
  CHECK(tool_names(model.prompt(0))
        == std::vector<std::string>{"read_resource", "hand_off", "dispatch",
                                    "broadcast", "complete", "ask"});
  const auto user = last_text(model.prompt(0));
  CHECK(user.find("The turn of bob ended: completed: I am done") != user.npos);
}

TEST_CASE("an orchestrator that only talks is asked to decide") {
  scripted_model model{
    {{.text = "Bob should act."}, {.calls = {{"wait", "{}"}}}}};
  auto asked = a_decision();
  asked.decide.outstanding = 1;
  const auto got = run_turn(model.settings(), {}, asked);
  CHECK(got.reply.decision
        == std::vector<protocol::decision>{protocol::wait_decision{}});
  CHECK(last_text(model.prompt(1)).find("call one of the tools")
        != std::string::npos);
}

TEST_CASE(
  "wrong calls go back to the model with the reason, then fail the turn") {
  const auto [name, arguments, reason]
    = GENERATE(table<std::string, std::string, std::string>(
      {{"write_resource", R"({"resource_type":"file")", "not valid JSON"},
       {"write_resource", "[7]", "must be a JSON object; you wrote: [7]"},
       {"write_resource", R"({"resource_type":"file","value":1})",
        "resource_id"},
       {"write_resource", R"({"resource_type":"f","resource_id":"a"})",
        "`value` is missing"},
       {"write_resource",
        R"({"resource_type":"f","resource_id":"a","value":1,"mode":7})",
        "mode"},
       {"write_resource",
        R"({"resource_type":"f","resource_id":"a","value":1,"op":"set"})",
        "op"},
       {"hand_off", R"({"to":"zoe"})", "one of \"bob\", \"role-b\", \"eve\""},
       {"hand_off", R"({"to":"ann"})", "one of"},
       {"vote", R"({"for":"bob"})", "there is no tool \"vote\""},
       {"claim", R"({"resource_type":"f","resource_id":"a"})", "no tool"},
       {"end_session", R"({"now":true})", "the only argument"},
       {"rm -rf", "{}",
        "there is no tool \"rm -rf\"; the tools that exist are: "
        "read_resource, write_resource, hand_off, end_session"}}));
  const said_by_model wrong{.text = "hm", .calls = {{name, arguments}}};
  scripted_model model{{wrong, wrong, wrong}};
  const auto got = run_turn(model.settings(), {}, turn_of_ann());
  CHECK(got.reply.status == reply_status::failed);
  CHECK(got.reply.error.code == "model_reply_invalid");
  CHECK(got.reply.content == "hm");
  CHECK(got.actions.size() == 3);
  CHECK(last_text(model.prompt(1)).find(reason) != std::string::npos);
}

TEST_CASE("of an answer with a wrong call nothing counts") {
  const std::string write
    = R"({"resource_type":"file","resource_id":"c","value":1})";
  scripted_model model{
    {{.calls = {{"write_resource", write}, {"hand_off", R"({"to":"zoe"})"}}},
     {.text = "I leave it."}}};
  const auto got = run_turn(model.settings(), {}, turn_of_ann());
  CHECK(got.reply == protocol::reply{.content = "I leave it."});
  CHECK(
    std::string{model.prompt(1).at("messages").at(3).at("content").as_string()}
      .find("repeat it")
    != std::string::npos);
}

TEST_CASE("a turn that may not write everything is held to it") {
  auto asked = turn_of_ann();
  asked.limited = true;
  SECTION("nothing") {
    scripted_model model{{{.text = "x"}}};
    static_cast<void>(run_turn(model.settings(), {}, asked));
    const auto names = tool_names(model.prompt(0));
    CHECK(std::ranges::find(names, "write_resource") == names.end());
  }
  SECTION("one file") {
    asked.resources = {{"file", "b.txt"}};
    scripted_model model{
      {{.calls = {{"write_resource", R"({"resource_type":"file",)"
                                     R"("resource_id":"a.txt","value":1})"}}},
       {.text = "x"}}};
    CHECK(run_turn(model.settings(), {}, asked).reply.writes.empty());
    CHECK(last_text(model.prompt(1)).find("\"file b.txt\"")
          != std::string::npos);
  }
}

TEST_CASE("a model may call tools for so many rounds only") {
  const said_by_model again{
    .text = "once more",
    .calls = {{"read_resource", R"({"resource_type":"f","resource_id":"a"})"}}};
  scripted_model model{{again, again, again}};
  auto settings = model.settings();
  settings.rounds_max = 3;
  const auto got = run_turn(settings, {}, turn_of_ann());
  CHECK(got.reply.error.code == "tool_rounds_max");
  CHECK(got.reply.content == "once more");
  CHECK(got.actions.size() == 3);
}

TEST_CASE("an answer that was cut, withheld or refused fails, with its text") {
  const auto [finish, code] = GENERATE(table<std::string, std::string>(
    {{"length", "model_length"}, {"content_filter", "model_content_filter"}}));
  scripted_model model{{{.text = "half of", .finish = finish}}};
  const auto got = run_turn(model.settings(), {}, turn_of_ann());
  CHECK(got.reply.status == reply_status::failed);
  CHECK(got.reply.error.code == code);
  CHECK(got.reply.content == "half of");
}

TEST_CASE("a model that says nothing is asked again") {
  scripted_model model{{{}, {.text = "Sorry."}}};
  const auto got = run_turn(model.settings(), {}, turn_of_ann());
  CHECK(got.reply.content == "Sorry.");
  CHECK(last_text(model.prompt(1)).find("you said nothing")
        != std::string::npos);
}

TEST_CASE("a turn goes on from recorded results") {
  const said_by_model first{
    .text = "a",
    .calls = {{"read_resource", R"({"resource_type":"f","resource_id":"a"})"}}};
  std::vector<acted> recorded;
  {
    scripted_model model{{first, {.text = "b"}}};
    recorded = run_turn(model.settings(), {}, turn_of_ann()).actions;
  }
  recorded.resize(1);
  scripted_model model{{{.text = "b"}}};
  auto asked = turn_of_ann();
  asked.deadline = 7; // another one, after a crash
  asked.token = "t-1";
  const auto got = run_turn(model.settings(), {}, asked, recorded);
  CHECK(got.reply.content == "b");
  CHECK(model.requests().size() == 1);
  CHECK(got.actions.size() == 2);
}

TEST_CASE("a prompt that has changed is another action") {
  scripted_model model{{{.text = "b"}, {.text = "c"}}};
  auto recorded = run_turn(model.settings(), {}, turn_of_ann()).actions;
  auto asked = turn_of_ann();
  asked.task = "something else";
  CHECK(run_turn(model.settings(), {}, asked, recorded).reply.error.code
        == "action_changed");
}

TEST_CASE("text arrives as the model says it") {
  scripted_model model{{{.text = "I fixed it."}}};
  std::string heard;
  static_cast<void>(run_turn(model.settings(),
                             {.on_text =
                                [&](std::string_view, std::string_view who,
                                    std::string_view text) {
                                  heard.append(who).append(": ").append(text);
                                }},
                             turn_of_ann()));
  CHECK(heard == "ann: I fixed it.");
}

TEST_CASE("a model without tools replies by one JSON object") {
  scripted_model model{
    {{.text = "I'd write it."},
     {.text
      = "```json\n{\"content\": \"Done.\", \"writes\": [{\"resource_type\":"
        " \"file\", \"resource_id\": \"a.txt\", \"value\": 7}], "
        "\"end\": true}\n```"}}};
  auto settings = model.settings();
  settings.reply = host::llm_reply::json;
  const auto got = run_turn(settings, {}, turn_of_ann());
  protocol::reply wanted{.content = "Done.", .end = true};
  wanted.writes = {{.resource_type = "file",
                    .resource_id = "a.txt",
                    .base_version = 4,
                    .value = 7}};
  CHECK(got.reply == wanted);
  const auto prompt = model.prompt(0);
  CHECK_FALSE(prompt.as_object().contains("tools"));
  const auto& schema
    = prompt.at_pointer("/response_format/json_schema/schema/properties")
        .as_object();
  CHECK(schema.contains("writes"));
  CHECK(schema.contains("handoff"));
  CHECK_FALSE(schema.contains("decision"));
}

TEST_CASE("JSON replies are held to what the request allows") {
  const auto first_problem = [](const actors::turn_request& asked,
                                const std::string& text) {
    scripted_model model{{{.text = text}, {.text = text}, {.text = text}}};
    auto settings = model.settings();
    settings.reply = host::llm_reply::json;
    const auto got = run_turn(settings, {}, asked);
    CHECK(got.reply.error.code == "model_reply_invalid");
    return got.reply.error.message;
  };
  const auto has = [](const std::string& text, std::string_view part) {
    INFO(text);
    CHECK(text.find(part) != text.npos);
  };
  has(first_problem(turn_of_ann(), "[]"), "one JSON object");
  has(first_problem(turn_of_ann(), R"({"usage":{}})"), "usage");
  has(first_problem(turn_of_ann(), R"({"handoff":{"to":"zoe"}})"),
      "`to` must be");
  has(first_problem(turn_of_ann(), R"({"writes":[{"resource_type":"a",)"
                                   R"("resource_id":"b"}]})"),
      "`value`");
  has(first_problem(a_vote(), R"({"content":"bob"})"), "`vote` is missing");
  has(first_problem(a_decision(), R"({"content":"x","decision":[]})"),
      "`decision` is missing");
  has(first_problem(a_decision(),
                    R"({"decision":[{"dispatch":{"participant":"zoe"}}]})"),
      "`participant` must be");
}

TEST_CASE(
  "of a long workspace and dialog as much is shown as there is room for") {
  auto asked = turn_of_ann();
  asked.window = {};
  for (int i = 0; i < 40; ++i)
    asked.window.add({.participant = 1,
                      .content = std::string(900, 'w')
                                 + (i == 39 ? " the last" : " earlier")});
  scripted_model model{{{.text = "x"}}};
  auto settings = model.settings();
  settings.context_tokens = 3000;
  settings.max_tokens = 500;
  static_cast<void>(run_turn(settings, {}, asked));
  const auto user = last_text(model.prompt(0));
  CHECK(user.find("the last") != user.npos);
  CHECK(user.starts_with("The latest part of what was said"));
  CHECK(user.find("fix the parser") != user.npos);
  CHECK(json::serialize(model.prompt(0)).size() < 3000 * 4);
}

TEST_CASE("only what has changed is shown where that is asked for") {
  scripted_model model{{{.text = "x"}}};
  auto settings = model.settings();
  settings.workspace = host::workspace_part::changes;
  auto asked = turn_of_ann();
  asked.workspace_since = 2;
  static_cast<void>(run_turn(settings, {}, asked));
  const auto user = last_text(model.prompt(0));
  CHECK(user.find("a.txt") == user.npos);
  CHECK(user.find("b.txt") != user.npos);
}

namespace {

/// An executor of the application that answers `output`, or fails.
std::shared_ptr<const actors::executor> lookup(json::value output) {
  return std::make_shared<const actors::executor>(actors::executor{
    .name = "lookup",
    .execute =
      [output = std::move(output)](const protocol::action& what,
                                   const actors::action_responder& to) {
        CHECK(what.kind == protocol::action_kind::function);
        CHECK(what.arguments == json::value{{"word", "actor"}});
        if (output.is_null())
          to.fail("not_found", "no such word");
        else
          to.complete(output);
      },
    .description = "Looks a word up.",
    .input_schema = {{"type", "object"}, {"required", {"word"}}}});
}

} // namespace

TEST_CASE("a model calls what the application carries out") {
  struct example {
    json::value output;
    std::string heard;
  };
  const auto [output, heard] = GENERATE(values<example>(
    {{"one who acts", "one who acts"},
     {{{"meanings", 2}}, "{\"meanings\":2}"},
     {nullptr, "Error: the call failed: not_found: no such word"}}));
  scripted_model model{
    {{.calls = {{"lookup", "{\"word\":\"actor\"}"}}}, {.text = "Done."}}};
  auto settings = model.settings();
  settings.tools = {"lookup"};
  const auto got = run_turn(settings, {.functions = {lookup(output)}},
                            turn_of_ann());
  CHECK(got.reply.content == "Done.");
  REQUIRE(got.actions.size() == 3);
  CHECK(got.actions.at(1).what.position == "1.1");
  CHECK(got.actions.at(1).what.name == "lookup");
  const auto tool = model.prompt(0).at("tools").as_array().back();
  CHECK(tool.at("function").at("name") == "lookup");
  CHECK(tool.at("function").at("description") == "Looks a word up.");
  CHECK(last_text(model.prompt(1)) == heard);
}

TEST_CASE("a model gets only the application's tools that it is given") {
  scripted_model model{{{.text = "Done."}}};
  const auto got = run_turn(model.settings(), {.functions = {lookup("x")}},
                            turn_of_ann());
  CHECK(got.reply.content == "Done.");
  for (const auto& name : tool_names(model.prompt(0)))
    CHECK(name != "lookup");
}
