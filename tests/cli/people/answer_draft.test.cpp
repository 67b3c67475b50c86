#include <catch2/catch.hpp>
#include <convene/cli/people/answer_draft.hpp>
#include <convene/cli/people/question_text.hpp>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace convene;
using cli::answer_draft;
using cli::heard;
using session::request_kind;
using kind = cli::heard::kind;

namespace {

actors::turn_request asking(request_kind what = request_kind::turn) {
  actors::turn_request asked;
  asked.kind = what;
  asked.participant = "ana";
  asked.task = "Review it";
  return asked;
}

actors::turn_request a_dispute() {
  auto asked = asking(request_kind::escalation);
  asked.dispute = {.conflict_id = "c-1",
                   .resource_type = "file",
                   .resource_id = "a.txt",
                   .sides = {{.participant = "bob", .value = "one"},
                             {.participant = "eve", .value = "two"}}};
  return asked;
}

actors::turn_request an_approval() {
  auto asked = asking();
  asked.duty = host::approver_duty;
  return asked;
}

heard only(const actors::turn_request& asked, std::string_view line) {
  answer_draft draft{asked};
  return draft.take(line);
}

/// A file that goes with the test.
struct file_with {
  explicit file_with(const std::string& text) {
    std::string made = std::filesystem::temp_directory_path() / "answerXXXXXX";
    ::close(mkstemp(made.data()));
    std::ofstream{made} << text;
    name = made;
  }
  ~file_with() {
    std::filesystem::remove(name);
  }
  file_with(const file_with&) = delete;
  file_with& operator=(const file_with&) = delete;

  std::string name;
};

} // namespace

TEST_CASE("a call is approved or rejected, and answered in no other way") {
  auto asked = an_approval();
  asked.approval = {.participant = "bob",
                    .kind = protocol::action_kind::mcp,
                    .name = "files/write",
                    .arguments = {{"path", "a\x1b[2J\nb"}, {"n", 1}}};
  CHECK(only(asked, "/approve").reply
        == protocol::reply{.content = "APPROVED"});
  CHECK(only(asked, "/reject no").reply.content == "REJECTED: no");
  for (const auto* line : {"yes", "", "/end", "/write a/b c", "/handoff bob"})
    CHECK(only(asked, line).what == kind::complaint);
  CHECK(cli::help_for(asked).find("/handoff") == std::string::npos);
  const auto text = cli::question_text(asked);
  CHECK(text.find("bob wants to call files/write (mcp):\n"
                  "   path: \"a\\u001b[2J\\nb\"\n   n: 1\n")
        != std::string::npos);
}

TEST_CASE("no argument of a call is left out without saying so") {
  auto asked = an_approval();
  asked.approval
    = {.participant = "bob",
       .name = "files/write",
       .arguments = {{"a", std::string(20'000, 'x')}, {"z", "end"}}};
  CHECK(cli::question_text(asked).find("z: \"end\"") != std::string::npos);
  asked.approval.arguments = {{"a", std::string(100'000, 'x')}, {"z", "end"}};
  const auto text = cli::question_text(asked);
  CHECK(text.find("more bytes are not shown") != std::string::npos);
  CHECK(text.size() < 70'000);
}

TEST_CASE("a line of text is the answer") {
  const auto what = only(asking(), "looks good\r");
  CHECK(what.what == kind::reply);
  CHECK(what.reply == protocol::reply{.content = "looks good"});
}

TEST_CASE("an answer goes on in the next line after a backslash") {
  const auto asked = asking();
  answer_draft draft{asked};
  CHECK(draft.take("one\\").what == kind::more);
  CHECK(draft.take("/two\\").what == kind::more);
  CHECK(draft.take("").reply.content == "one\n/two\n");
}

TEST_CASE("an empty line is no answer, and two slashes begin a text") {
  for (const auto* line : {"", "  "}) {
    const auto heard = only(asking(), line);
    CHECK(heard.what == kind::complaint);
    CHECK_THAT(heard.text, Catch::Contains("/decline declines"));
  }
  CHECK(only(asking(), "//etc").reply.content == "/etc");
}

TEST_CASE("a person declines, hands on, or ends") {
  const auto declined = only(asking(), "/decline no time").reply;
  CHECK(declined.status == protocol::reply_status::declined);
  CHECK(declined.content == "no time");
  const auto handed = only(asking(), "/handoff bob fix the tests").reply;
  REQUIRE(handed.handoff);
  CHECK(handed.handoff->to == "bob");
  CHECK(handed.handoff->instructions == "fix the tests");
  const auto ended = only(asking(), "/end done").reply;
  CHECK(ended.end);
  CHECK(ended.content == "done");
}

TEST_CASE("approval and rejection are words that conditions can look for") {
  CHECK(only(asking(), "/approve").reply.content == "APPROVED");
  CHECK(only(asking(), "/reject too slow").reply.content
        == "REJECTED: too slow");
}

TEST_CASE("a written file is based on the version that the person was shown") {
  auto asked = asking();
  const file_with text{"new text"};
  answer_draft draft{asked};
  CHECK(draft.take("/write file/a/b.txt " + text.name).what == kind::more);
  const auto sent = draft.take("");
  CHECK(sent.what == kind::reply);
  REQUIRE(sent.reply.writes.size() == 1);
  const auto& made = sent.reply.writes.front();
  CHECK(made.resource_type == "file");
  CHECK(made.resource_id == "a/b.txt");
  CHECK(made.base_version == 0);
  CHECK(made.value == "new text");
}

TEST_CASE("what cannot be written is told, and the answer goes on") {
  const auto asked = asking();
  answer_draft draft{asked};
  const file_with bad{"\xff"};
  for (const auto& line :
       {std::string{"/write"}, std::string{"/write a.txt x"},
        std::string{"/write file/a /no/such/file"}, std::string{"/write /a b"},
        "/write file/a " + bad.name})
    CHECK(draft.take(line).what == kind::complaint);
  CHECK(draft.take("text").reply.writes.empty());
}

TEST_CASE("a mistyped command is told with the nearest one") {
  const auto what = only(asking(), "/aprove");
  CHECK(what.what == kind::complaint);
  CHECK_THAT(what.text, Catch::Contains("approve"));
}

TEST_CASE("a command for other requests is none") {
  CHECK(only(asking(), "/dispatch bob").what == kind::complaint);
  CHECK(only(a_dispute(), "/end").what == kind::complaint);
  CHECK(only(a_dispute(), "some text").what == kind::complaint);
}

TEST_CASE("a dispute is decided for a participant") {
  const auto whom = [](const char* line) {
    const auto asked = a_dispute();
    const auto what = only(asked, line);
    REQUIRE(what.reply.vote);
    CHECK(what.reply.vote->conflict_id == "c-1");
    return what.reply.vote->in_favour_of;
  };
  CHECK(whom("/approve") == "eve");
  CHECK(whom("/reject") == "bob");
  CHECK(whom("/vote bob") == "bob");
  CHECK(only(a_dispute(), "/vote ana").what == kind::complaint);
}

TEST_CASE("a person leads a session by commands") {
  const auto decides = [](const char* line) {
    const auto asked = asking(request_kind::decision);
    const auto what = only(asked, line);
    REQUIRE(what.reply.decision.size() == 1);
    return what.reply.decision.front();
  };
  CHECK(decides("/dispatch bob write it")
        == protocol::decision{protocol::dispatch_decision{.participant = "bob",
                                                          .task = "write it"}});
  CHECK(decides("/broadcast who knows?")
        == protocol::decision{protocol::broadcast_decision{"who knows?"}});
  CHECK(decides("/complete done")
        == protocol::decision{protocol::complete_decision{.reason = "done"}});
  CHECK(decides("/wait") == protocol::decision{protocol::wait_decision{}});
}

TEST_CASE("an answer is bounded, and must be text") {
  const auto asked = asking();
  answer_draft draft{asked};
  CHECK(draft.take("\xff\xfe").what == kind::complaint);
  CHECK(draft.take(std::string(answer_draft::bytes_max + 1, 'x')).what
        == kind::complaint);
  CHECK(draft.take("short").reply.content == "short");
}

TEST_CASE("every command that is listed is understood") {
  for (const auto what :
       {request_kind::turn, request_kind::vote, request_kind::decision}) {
    auto asked = asking(what);
    asked.dispute = a_dispute().dispute;
    std::istringstream lines{cli::help_for(asked)};
    int commands = 0;
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with('/')) {
        ++commands;
        const auto name = line.substr(0, line.find(' '));
        CAPTURE(name);
        CHECK_THAT(only(asked, name).text, !Catch::Contains("unknown command"));
      }
    CHECK(commands > 4);
  }
}

TEST_CASE("a question shows nothing that moves the cursor") {
  auto asked = asking();
  asked.task = "clear\x1b[2Jme\nand more";
  const auto text = cli::question_text(asked);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK_THAT(text, Catch::Contains("and more"));
}

TEST_CASE("where several sessions ask, a question says of which one it is") {
  auto asked = asking();
  asked.title = "Review\x1b[2J";
  asked.session_id = "s-1";
  const auto text = cli::question_text(asked, cli::session_named::yes);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK_THAT(text, Catch::Contains("In Review") && Catch::Contains("(s-1)"));
  CHECK(cli::question_text(asked).find("s-1") == std::string::npos);
}

TEST_CASE("a dispute shows both versions and who made them") {
  const auto text = cli::question_text(a_dispute());
  for (const auto* part : {"file/a.txt", "bob", "eve", "one", "two"})
    CHECK_THAT(text, Catch::Contains(part));
}

TEST_CASE("who confirms approves or rejects, and a rejection fails the turn") {
  const auto asked = an_approval();
  const auto yes = only(asked, "/approve go on");
  REQUIRE(yes.what == kind::reply);
  CHECK(yes.reply.status == protocol::reply_status::completed);
  CHECK(yes.reply.content == "APPROVED: go on");
  const auto no = only(asked, "/reject too bold");
  REQUIRE(no.what == kind::reply);
  CHECK(no.reply.status == protocol::reply_status::failed);
  CHECK(no.reply.error.code == "rejected");
  CHECK(no.reply.error.message == "too bold");
  CHECK(only(asked, "/reject").reply.error.message == "a person rejected it");
  const auto text = only(asked, "well, yes");
  CHECK(text.what == kind::complaint);
  CHECK_THAT(text.text, Catch::Contains("/approve or /reject"));
}

TEST_CASE("who does not confirm completes a turn by rejecting") {
  const auto no = only(asking(), "/reject too bold");
  REQUIRE(no.what == kind::reply);
  CHECK(no.reply.status == protocol::reply_status::completed);
}
