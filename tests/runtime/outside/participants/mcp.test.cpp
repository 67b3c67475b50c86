#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/runtime/outside/participants/mcp.hpp>
#include <convene/session/workspace/workspace.hpp>
#include <runtime/outside/participants/answered.hpp>

#include <memory>
#include <string>
#include <string_view>

using namespace convene;
using protocol::reply_status;

namespace {

/// Answers every call with one result, and keeps what it was asked.
class one_answer final : public host::tool_box {
public:
  explicit one_answer(std::string_view output) {
    result.output = boost::json::parse(output);
  }

  void list(when_listed then) override {
    then(std::vector<host::tool>{});
  }

  actors::cancel_function
  call(std::string_view name, const protocol::json::object& arguments,
       const actors::attempt&, actors::when_acted then) override {
    asked_name = name;
    asked_arguments = arguments;
    then(result);
    return [] {};
  }

  protocol::action_result result;
  std::string asked_name;
  protocol::json::object asked_arguments;
};

host::mcp_settings tool_settings(std::string_view arguments) {
  auto made
    = host::read_mcp_settings({{"type", "mcp"},
                               {"server", "files"},
                               {"tool", "read"},
                               {"arguments", boost::json::parse(arguments)}},
                              "/behaviours/a");
  REQUIRE(made);
  return *made;
}

protocol::reply reply_to_output(std::string_view output) {
  host::mcp_behaviour who{tool_settings("{}"),
                          std::make_shared<one_answer>(output)};
  return test::answer_of(who, test::a_turn_of("x"));
}

} // namespace

TEST_CASE("a tool gets the arguments of its settings, with the request's "
          "values") {
  session::workspace files;
  files.add({"file", "src/a.cpp"}, protocol::json::value("int a;"), {}, 0);
  auto asked = test::a_turn_of("fix it");
  asked.workspace = files.view();
  const auto tools = std::make_shared<one_answer>(R"({"content": []})");
  host::mcp_behaviour who{tool_settings(
                            R"({"path": "${task}", "n": 1, "said": "${content}",
      "deep": [{"text": "${resource:file/src/a.cpp}"}], "as": "$task {x}"})"),
                          tools};
  CHECK(test::answer_of(who, asked).status == reply_status::completed);
  CHECK(tools->asked_name == "files/read");
  CHECK(tools->asked_arguments
        == boost::json::parse(R"({"path": "fix it", "n": 1, "said": "",
             "deep": [{"text": "int a;"}], "as": "$task {x}"})"));
}

TEST_CASE("a resource that is not there fails the turn before the call") {
  const auto tools = std::make_shared<one_answer>(R"({"content": []})");
  host::mcp_behaviour who{tool_settings(R"({"a": "${resource:file/x}"})"),
                          tools};
  const auto reply = test::answer_of(who, test::a_turn_of("x"));
  CHECK(reply.status == reply_status::failed);
  CHECK(reply.error.code == "no_such_resource");
  CHECK(reply.error.message.find("file \"x\"") != std::string::npos);
  CHECK(tools->asked_name.empty());
}

TEST_CASE("a placeholder that is none is refused with the settings") {
  for (const auto* text : {"${tsk}", "${resource:}", "${resource:file}",
                           "${resource:file/}", "${resource:/x}"}) {
    const auto how = host::read_mcp_settings({{"type", "mcp"},
                                              {"server", "files"},
                                              {"tool", "read"},
                                              {"arguments", {{"a", text}}}},
                                             "/behaviours/a");
    REQUIRE_FALSE(how);
    CHECK(how.error().pointer == "/behaviours/a/arguments");
    CHECK(how.error().rule == "placeholder");
  }
  CHECK_FALSE(host::read_mcp_settings({{"type", "mcp"}, {"server", "x"}}, ""));
}

TEST_CASE("the text of a tool's answer is the content, its structure the "
          "result") {
  const auto reply = reply_to_output(
    R"({"content": [{"type": "text", "text": "a"}, {"type": "image"},
        {"type": "resource", "resource": {"uri": "file:///b", "text": "b"}},
        {"type": "resource", "resource": {"uri": "file:///c", "blob": "eA=="}},
        {"type": "resource"},
        {"type": "text", "text": "c"}], "structuredContent": {"sum": 3}})");
  CHECK(reply.status == reply_status::completed);
  CHECK(reply.content == "a\nb\nc");
  CHECK(reply.result.at("sum") == 3);
}

TEST_CASE("a tool that says that it failed makes a failed reply") {
  const auto reply = reply_to_output(
    R"({"content": [{"type": "text", "text": "no such file"}],
        "isError": true})");
  CHECK(reply.status == reply_status::failed);
  CHECK(reply.error.code == "tool_error");
  CHECK(reply.error.message == "no such file");
  CHECK(reply_to_output("{}").error.code == "invalid_answer");
  CHECK(reply_to_output("[]").error.code == "invalid_answer");
}

TEST_CASE("a call that did not complete makes a failed reply with its reason") {
  const auto tools = std::make_shared<one_answer>("null");
  tools->result.status = protocol::action_status::failed;
  tools->result.error.code = "server_died";
  tools->result.error.message = "it is gone";
  host::mcp_behaviour who{tool_settings("{}"), tools};
  const auto reply = test::answer_of(who, test::a_turn_of("x"));
  CHECK(reply.status == reply_status::failed);
  CHECK(reply.error.code == "server_died");
  CHECK(reply.error.message == "it is gone");
}
