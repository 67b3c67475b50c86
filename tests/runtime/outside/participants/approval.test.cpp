#include "runtime/outside/participants/answered.hpp"
#include "runtime/outside/participants/llm_turns.hpp"

#include <catch2/catch.hpp>
#include <convene/protocol/documents/approval.hpp>
#include <convene/runtime/outside/participants/approval.hpp>
#include <convene/runtime/outside/participants/http_settings.hpp>
#include <convene/runtime/outside/participants/mcp.hpp>
#include <convene/runtime/outside/participants/process_settings.hpp>

#include <algorithm>
#include <set>

using namespace convene;
using namespace convene::tests;
using protocol::action_kind;
using protocol::reply_status;

namespace {

/// Answers each question at once, the n-th with the n-th of `says`, the last
/// one again and again; without any, never.
class fake_person final : public host::people {
public:
  explicit fake_person(std::vector<protocol::reply> says)
    : says_(std::move(says)) {}

  void ask(actors::turn_request asked) override {
    protocol::reply said;
    {
      const std::lock_guard lock{mutex_};
      questions_.push_back(asked);
      if (!says_.empty())
        questions_.back().live = {}; // it holds the turn, and so this
      if (says_.empty())
        return;
      said = says_.at(std::min(questions_.size(), says_.size()) - 1);
    }
    asked.live->answer(std::move(said));
  }

  std::vector<actors::turn_request> questions() {
    const std::lock_guard lock{mutex_};
    return questions_;
  }

private:
  std::vector<protocol::reply> says_;
  std::mutex mutex_;
  std::vector<actors::turn_request> questions_;
};

std::shared_ptr<fake_person> who_says(std::vector<protocol::reply> what) {
  return std::make_shared<fake_person>(std::move(what));
}

const protocol::reply yes{.content = "APPROVED"};
const protocol::reply no{.content = "REJECTED: too risky"};

/// Two tools, which note what they are called with.
class two_tools final : public host::tool_box {
public:
  void list(when_listed then) override {
    then(std::vector<host::tool>{{.name = "files/read", .read_only = true},
                                 {.name = "files/write"}});
  }

  actors::cancel_function
  call(std::string_view name, const json::object& arguments,
       const actors::attempt&, actors::when_acted then) override {
    {
      const std::lock_guard lock{mutex_};
      called_.insert(std::string{name} + ' ' + json::serialize(arguments));
    }
    then(
      {.output = json::parse(R"({"content":[{"type":"text","text":"ok"}]})")});
    return [] {};
  }

  std::multiset<std::string> called() {
    const std::lock_guard lock{mutex_};
    return called_;
  }

private:
  std::mutex mutex_;
  std::multiset<std::string> called_;
};

using texts = std::multiset<std::string>;

actors::turn_request turn_of_bob(bool has_person = true) {
  auto asked = test::a_turn_of("tidy up");
  asked.participant = "bob";
  auto about = std::make_shared<session::session_info>();
  about->participants = {{.participant_id = "bob"}};
  if (has_person)
    about->participants.push_back(
      {.participant_id = "eve", .kind = protocol::participant_kind::human});
  asked.about = std::move(about);
  return asked;
}

const std::vector<said_by_model> reads_and_writes{
  {.calls = {{"files__read", R"({"path":"a"})"},
             {"files__write", R"({"path":"a","text":"b"})"}}},
  {.text = "Done."}};

struct approved_turn {
  scripted_model model;
  std::shared_ptr<two_tools> tools = std::make_shared<two_tools>();
  turn_outcome outcome;

  approved_turn(std::shared_ptr<host::people> who,
                std::vector<std::string> approve,
                std::vector<acted> before = {},
                const actors::turn_request& asked = turn_of_bob(),
                std::vector<said_by_model> script = reads_and_writes)
    : model{std::move(script)} {
    auto settings = model.settings();
    settings.tools = {"files/*"};
    settings.approve = std::move(approve);
    outcome = run_turn(settings, {.tools = tools, .people = std::move(who)},
                       asked, std::move(before));
  }

  /// What the model was told of its second call.
  std::string told() {
    const auto prompt = model.prompt(1);
    return std::string{
      prompt.at("messages").as_array().back().at("content").as_string()};
  }

  [[nodiscard]] std::vector<acted> of_kind(action_kind kind) const {
    std::vector<acted> found;
    for (const auto& each : outcome.actions)
      if (each.what.kind == kind)
        found.push_back(each);
    return found;
  }
};

} // namespace

TEST_CASE("a call that a person has approved is carried out, others at once") {
  const auto person = who_says({yes});
  approved_turn turn{person, {"files/wr*"}};
  CHECK(turn.outcome.reply.content == "Done.");
  CHECK(turn.tools->called()
        == texts{R"(files/read {"path":"a"})",
                 R"(files/write {"path":"a","text":"b"})"});
  const auto questions = person->questions();
  REQUIRE(questions.size() == 1);
  const auto& asked = questions.front();
  CHECK(asked.participant == "eve");
  CHECK(asked.duty == host::approver_duty);
  CHECK(asked.kind == session::request_kind::turn);
  CHECK(asked.task == "tidy up");
  CHECK(asked.approval.participant == "bob");
  CHECK(asked.approval.name == "files/write");
  CHECK(asked.approval.arguments == json::parse(R"({"path":"a","text":"b"})"));
  const auto recorded = turn.of_kind(action_kind::person);
  REQUIRE(recorded.size() == 1);
  CHECK(recorded[0].what.name == "eve");
  CHECK(recorded[0].result.output
        == json::parse(R"({"approved":true,"by":"eve","call":"files/write"})"));
  CHECK(asked.token == "t-1:" + recorded[0].what.position);
}

TEST_CASE("a refused call is not carried out, and the model is told why") {
  for (const auto& said : {no,
                           protocol::reply{.status = reply_status::failed,
                           .content = "REJECTED: too risky",
                           .error = {"rejected", "too risky"}},
                           protocol::reply{.status = reply_status::declined,
                           .content = "too risky"}}) {
    approved_turn turn{who_says({said}), {"*"}};
    CHECK(turn.tools->called().empty());
    CHECK(turn.told().find("a person refused this call") != std::string::npos);
    CHECK(turn.told().find("too risky") != std::string::npos);
    CHECK(turn.outcome.reply.content == "Done.");
  }
}

TEST_CASE("what is no clear answer refuses the call") {
  for (const auto* said : {"", "ok", "approved", "APPROVED?"}) {
    approved_turn turn{who_says({protocol::reply{.content = said}}), {"*"}};
    CHECK(turn.tools->called().empty());
  }
}

TEST_CASE("an answer that is recorded counts, and nobody is asked again") {
  approved_turn first{who_says({yes}), {"*"}};
  const auto other = who_says({no});
  approved_turn again{other, {"*"}, first.outcome.actions};
  CHECK(other->questions().empty());
  CHECK(again.tools->called().empty()); // it was done before, too
  CHECK(again.outcome.reply == first.outcome.reply);
}

TEST_CASE("a recorded approval is for no other arguments") {
  approved_turn first{who_says({yes}), {"files/write"}};
  const auto other = who_says({no});
  approved_turn again{
    other,
    {"files/write"},
    first.of_kind(action_kind::person),
    turn_of_bob(),
    {{.calls = {{"files__read", R"({"path":"a"})"},
                {"files__write", R"({"path":"a","text":"c"})"}}},
     {.text = "Done."}}};
  CHECK(other->questions().size() == 1);
  CHECK(again.tools->called() == texts{R"(files/read {"path":"a"})"});
}

TEST_CASE("without people in the session anybody who is there approves") {
  const auto person = who_says({yes});
  approved_turn turn{person, {"files/write"}, {}, turn_of_bob(false)};
  CHECK(person->questions().at(0).participant == protocol::any_approver);
  CHECK(turn.tools->called().size() == 2);
  auto asked = turn_of_bob(false);
  auto about = *asked.about;
  about.participants.push_back({.participant_id = "approver"});
  asked.about = std::make_shared<const session::session_info>(about);
  const auto other = who_says({yes});
  approved_turn again{other, {"files/write"}, {}, asked};
  CHECK(other->questions().at(0).participant == "approver_");
}

TEST_CASE("nobody to ask is nobody who approves") {
  approved_turn turn{nullptr, {"*"}};
  CHECK(turn.tools->called().empty());
  CHECK(turn.told().find("approver_needed") != std::string::npos);
}

TEST_CASE("a tool as a participant is called once a person has approved it") {
  const auto settings = host::read_mcp_settings(
    json::parse(R"({"type":"mcp","server":"files","tool":"write",
                    "arguments":{"path":"${task}"},
                    "approve":["files/wr?te"]})"),
    "/behaviours/a");
  REQUIRE(settings);
  for (const bool approves : {true, false}) {
    const auto tools = std::make_shared<two_tools>();
    const auto person = who_says({approves ? yes : no});
    host::mcp_behaviour who{*settings, tools, person};
    const auto reply = test::answer_of(who, turn_of_bob());
    CHECK(person->questions().at(0).approval.arguments
          == json::parse(R"({"path":"tidy up"})"));
    CHECK(tools->called().size() == (approves ? 1 : 0));
    CHECK(reply.error.code == (approves ? "" : "not_approved"));
    CHECK((reply.error.message.find("too risky") != std::string::npos)
          != approves);
  }
}

TEST_CASE("a question is withdrawn with the turn that asks it") {
  const auto person = who_says({});
  host::mcp_behaviour who{
    {.server = "files", .tool = "write", .approve = {"*"}},
    std::make_shared<two_tools>(),
    person};
  auto asked = turn_of_bob();
  asked.live = std::make_shared<actors::live_turn>([](const auto&) {});
  who.begin(asked);
  const auto question = person->questions().at(0);
  CHECK_FALSE(question.live->is_over());
  asked.live->close();
  CHECK(question.live->is_over());
}

TEST_CASE("a pattern of what is never called is refused with the settings") {
  const auto rule_of = [](const auto& read) {
    return read ? std::string{"none"}
                : read.error().rule + ' ' + read.error().pointer;
  };
  const auto llm = [&](const char* tools, const char* approve) {
    return rule_of(host::read_llm_settings(
      json::parse(R"({"type":"llm","model":"m","tools":)" + std::string{tools}
                  + R"(,"approve":)" + approve + '}'),
      ""));
  };
  for (const auto* approve :
       {"true", "false", "[]", R"(["*"])", R"(["files/*"])",
        R"(["files/write_*", "fi*"])", R"(["*/write"])", R"(["search"])"})
    CHECK(llm(R"(["files/*", "search"])", approve) == "none");
  CHECK(llm(R"(["files/read_*"])", R"(["files/read_a"])") == "none");
  CHECK(llm(R"(["files/read_*"])", R"(["files/write_*"])")
        == "approve /approve/0");
  CHECK(llm(R"(["files/*"])", R"(["files/a", "file/*"])")
        == "approve /approve/1");
  CHECK(llm("[]", R"(["files/*"])") == "approve /approve/0");
  CHECK(llm(R"(["files/*"])", R"([""])").find("/approve/0")
        != std::string::npos);
  CHECK(llm(R"(["files/*"])", "1").find("/approve") != std::string::npos);
  const auto program = [&](const char* approve) {
    return rule_of(host::read_process_settings(
      json::parse(R"({"type":"process","command":["./tests"],"approve":)"
                  + std::string{approve} + '}'),
      ""));
  };
  CHECK(program("true") == "none");
  CHECK(program(R"(["./t*"])") == "none");
  CHECK(program(R"(["other"])") == "approve /approve/0");
  const auto service = [&](const char* approve) {
    return rule_of(host::read_http_settings(
      json::parse(R"({"type":"http","url":"http://a.example/x","approve":)"
                  + std::string{approve} + '}'),
      ""));
  };
  CHECK(service("true") == "none");
  CHECK(service(R"(["*a.example*"])") == "none");
  CHECK(service(R"(["*b.example*"])") == "approve /approve/0");
}
