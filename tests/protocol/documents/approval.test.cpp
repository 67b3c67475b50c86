#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/documents/approval.hpp>

#include <optional>
#include <set>
#include <string>

using namespace convene::protocol;

namespace {

action a_call() {
  return {.position = "2.1",
          .kind = action_kind::mcp,
          .name = "files/write_file",
          .arguments = {{"path", "a"}, {"text", "b"}}};
}

std::optional<approval_verdict>
of_text(std::string text, reply_status status = reply_status::completed) {
  return verdict_of({.status = status, .content = std::move(text)});
}

} // namespace

TEST_CASE("only a clear word approves a call") {
  CHECK(of_text("APPROVED") == approval_verdict{true, ""});
  CHECK(of_text("APPROVED: go ahead\n") == approval_verdict{true, "go ahead"});
  CHECK(of_text("REJECTED: too risky") == approval_verdict{false, "too risky"});
  CHECK(of_text("REJECTED") == approval_verdict{false, ""});
  for (const auto* text : {"", "yes", "approved", "APPROVEDLY", "APPROVED not",
                           "not APPROVED", " APPROVED"})
    CHECK_FALSE(of_text(text));
  CHECK(of_text("APPROVED", reply_status::failed)
        == approval_verdict{false, "APPROVED"});
  CHECK(of_text("", reply_status::declined) == approval_verdict{false, ""});
  CHECK(verdict_of(
          {.status = reply_status::failed, .error = {"rejected", "no way"}})
        == approval_verdict{false, "no way"});
}

TEST_CASE("what a person said is the same on the log and as a reply") {
  for (const auto& said :
       {approval_verdict{true, ""}, approval_verdict{true, "fine"},
        approval_verdict{false, ""}, approval_verdict{false, "why?"}}) {
    CHECK(verdict_of(approval_reply(said)) == said);
    CHECK(verdict_in(approval_output(said, "ana", "files/write")) == said);
  }
  CHECK_FALSE(verdict_in(json::parse(R"({"approved": "true"})")));
  CHECK_FALSE(verdict_in("APPROVED"));
}

TEST_CASE("a question has a position of its own for each call") {
  const auto asked = approval_of(a_call(), "bob", "ana", true);
  CHECK(asked.kind == action_kind::person);
  CHECK(asked.name == "ana");
  CHECK(asked.repeatable);
  CHECK(asked.arguments.at("arguments") == a_call().arguments);
  CHECK(approved_position(asked.position) == "2.1");
  std::set<std::string> all{asked.position};
  for (const auto& change :
       {+[](action& of) { of.position = "2.2"; },
        +[](action& of) { of.name = "files/write"; },
        +[](action& of) { of.kind = action_kind::http; },
        +[](action& of) { of.question = "other"; },
        +[](action& of) { of.arguments.at_pointer("/text") = "c"; }}) {
    auto other = a_call();
    change(other);
    CHECK(all.insert(approval_of(other, "bob", "ana", true).position).second);
  }
  CHECK(all.insert(approval_of(a_call(), "cid", "ana", true).position).second);
  for (const auto* position : {"2.1", "2.1.approval.", "2.1.approval.12",
                               ".approval", "approval.0123456789abcdef"})
    CHECK(approved_position(position).empty());
  const auto large = approval_of(a_call(), "bob", "ana", false);
  CHECK_FALSE(large.arguments.as_object().contains("arguments"));
  CHECK(large.position == asked.position);
}

TEST_CASE("a behaviour says which of its calls a person approves") {
  const auto asks = [](const char* behaviour, const char* name) {
    return needs_approval(json::parse(behaviour).as_object(), name);
  };
  CHECK(asks(R"({"approve": true})", "x"));
  CHECK(asks(R"({"approve": ["a/*", "b"]})", "a/x"));
  CHECK(asks(R"({"approve": ["a/*", "b"]})", "b"));
  for (const auto* none : {"{}", R"({"approve": false})", R"({"approve": []})",
                           R"({"approve": ["b"]})", R"({"approve": 1})"})
    CHECK_FALSE(asks(none, "a/x"));
  CHECK(asks_approval(json::parse(R"({"approve": ["b"]})").as_object()));
  CHECK_FALSE(asks_approval(json::parse(R"({"approve": []})").as_object()));
}
