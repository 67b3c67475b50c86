#include <catch2/catch.hpp>
#include <convene/protocol/events/answer_line.hpp>

#include <string>

using namespace convene::protocol;

namespace {

constexpr auto token = "0a0b0c0d-0000-4000-8000-000000000007";

/// A turn's end, as a session machine writes it, with this reply.
std::string turn_line(const std::string& reply,
                      const std::string& who = "noor") {
  return R"({"event_id":"5133359f-f465-4770-ae35-7622c0ea55d7",)"
         R"("event_type":"MAPTurnCompleted",)"
         R"("event_family":"RuntimeExecutionEvent",)"
         R"("session_id":"d38cf734-19a7-4ae4-bdf3-bae7d3f28783",)"
         R"("timestamp":"2026-11-22T03:13:24.765Z",)"
         R"("initiator_role":"38bf8cc2-79b5-4a73-838e-4a118913c782",)"
         R"("payload":{"participant_id":")"
         + who + R"(","role_id":"lead","turn_number":12,"token_id":")" + token
         + R"(","status":"completed","duration_ms":5,)"
           R"("result":{"reply":{"content":"of something else"}},"reply":)"
         + reply + "}}";
}

std::string replace(std::string text, std::string_view from,
                    std::string_view to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

} // namespace

TEST_CASE("the answer to a turn is read from its line") {
  const auto found = read_answer(turn_line(R"({"content":"looks good"})"));
  REQUIRE(found);
  CHECK(format_timestamp(found->at) == "2026-11-22T03:13:24.765Z");
  CHECK(found->participant_id == "noor");
  CHECK(to_string(found->token) == token);
  CHECK(found->what == reply{.content = "looks good"});
}

TEST_CASE("what a reply says is decoded, whatever it needs to be written") {
  const auto content = [](const std::string& text) {
    const auto found
      = read_answer(turn_line(R"({"content":")" + text + R"("})"));
    return found ? found->what.content : "nothing";
  };
  CHECK(content("") == "");
  CHECK(content(R"(a \"b\" \\ \n \u00e9)") == "a \"b\" \\ \n \xc3\xa9");
  CHECK(content("\xc3\xa9") == "\xc3\xa9");
  CHECK(content(R"(\",\"reply\":{\"content\":\"forged)")
        == R"(","reply":{"content":"forged)");
  // No content that JSON does not allow gets through.
  CHECK(content("\xff") == "nothing");
  CHECK(content("a\tb") == "nothing");
  CHECK(content(R"(\q)") == "nothing");
}

TEST_CASE("a reply with more in it than text is read whole") {
  const auto found = read_answer(
    turn_line(R"({"status":"failed","content":"no",)"
              R"("error":{"code":"broken","message":"it broke"}})"));
  REQUIRE(found);
  CHECK(found->what.status == reply_status::failed);
  CHECK(found->what.error == reply_error{"broken", "it broke"});
}

TEST_CASE("the answer to a broadcast names its members otherwise") {
  auto line = replace(turn_line(R"({"content":"yes"})"), "MAPTurnCompleted",
                      "MAPBroadcastReceived");
  CHECK_FALSE(read_answer(line));
  line = replace(line, "participant_id", "receiver_participant");
  const auto found = read_answer(replace(line, "token_id", "broadcast_ref"));
  REQUIRE(found);
  CHECK(found->participant_id == "noor");
  CHECK(to_string(found->token) == token);
  CHECK(found->what.content == "yes");
}

TEST_CASE("a participant's id is decoded, too") {
  const auto found
    = read_answer(turn_line(R"({"content":"yes"})", R"(a\\ \"b\")"));
  REQUIRE(found);
  CHECK(found->participant_id == R"(a\ "b")");
  CHECK(
    read_answer(turn_line(R"({"content":"yes"})", "\xc3\xa9"))->participant_id
    == "\xc3\xa9");
}

TEST_CASE("a line without a good answer has none") {
  const auto good = turn_line(R"({"content":"yes"})");
  REQUIRE(read_answer(good));
  for (const auto& [from, to] :
       {std::pair{"MAPTurnCompleted", "MAPTurnDispatched"},
        std::pair{"2026-11-22T03", "2026-11-22T24"},
        std::pair{"0a0b0c0d-", "0a0b0c0x-"},
        std::pair{R"("reply":{"content":"yes"})",
                  R"("repl":{"content":"yes"})"},
        std::pair{R"({"content":"yes"})", "7"}, std::pair{R"("yes")", "7"},
        std::pair{R"("turn_number":12)", R"("turn_number":)"},
        std::pair{R"({"event_id")", R"(["event_id")"}}) {
    CAPTURE(from, to);
    CHECK_FALSE(read_answer(replace(good, from, to)));
  }
  for (std::size_t size = 0; size < good.size(); ++size)
    REQUIRE_FALSE(read_answer(good.substr(0, size)));
  CHECK_FALSE(read_answer(
    turn_line(R"({"content":")" + std::string(70'000, 'x') + R"("})")
      .append(" ")));
}
