#include "tiny_terminal.hpp"

#include <catch2/catch.hpp>
#include <convene/cli/view/session_screen.hpp>
#include <convene/cli/view/text.hpp>
#include <rapidcheck.h>

using namespace convene::cli;
using convene::tests::tiny_terminal;

namespace {

using namespace std::chrono_literals;
using clock_time = session_screen::clock::time_point;

const clock_time noon{1h};

std::string logged(const std::string& type, const std::string& payload) {
  return R"({"event_type":")" + type
         + R"(","timestamp":"2026-01-01T00:00:00.000Z","execution_id":"x",)"
           R"("payload":)"
         + payload + "}\n";
}

std::string dispatched(const std::string& who) {
  return logged("MAPTurnDispatched", R"({"participant_id":")" + who
                                       + R"(","turn_number":1,"token_id":"t-)"
                                       + who + R"(","task":"talk"})");
}

std::string closed(const std::string& who) {
  return logged("MAPTurnCompleted",
                R"({"participant_id":")" + who
                  + R"(","turn_number":1,"token_id":"t-)" + who
                  + R"(","status":"completed","reply":{"content":"done"}})");
}

std::string acts(const std::string& who) {
  return logged("action_started",
                R"({"participant_id":")" + who
                  + R"(","position":"1.0","kind":"model","name":"gpt"})");
}

/// A screen, and what somebody in front of it sees.
struct seen_screen {
  tiny_terminal terminal;
  std::string written;
  session_screen screen;

  explicit seen_screen(bool changes = true, bool text = true,
                       std::size_t columns = 70)
    : screen(
      {.rows = {.columns = columns}, .text = text, .changes = changes},
      [this](std::string_view bytes) {
        written += bytes;
        terminal.write(bytes);
      },
      [columns] { return columns; }) {
    screen.see("s",
               logged("MAPRolesAssigned",
                      R"({"assignments":[{"participant_id":"ann"},)"
                      R"({"participant_id":"bob"}]})")
                 + dispatched("ann"),
               noon);
  }

  void hears(const std::string& who, std::string_view text,
             clock_time now = noon) {
    screen.hear("s", who, text);
    screen.refresh(now);
  }
};

const std::string asked_row = "     0.000 #1     ann      asked       talk\n";
const std::string done_row = "     0.000 #1     ann      completed   done\n";

} // namespace

TEST_CASE("what a model says is shown in rows, as it arrives") {
  seen_screen at{false};
  at.hears("ann", "one\ntw");
  CHECK(at.terminal.text()
        == asked_row + "                  ann      says        one\n");
  at.hears("ann", "o\n\n  \nthree");
  at.screen.see("s", closed("ann"), noon);
  CHECK(at.terminal.text()
        == asked_row
             + "                  ann      says        one\n"
               "                  ann      says        two\n"
               "                  ann      says        three\n"
             + done_row);
}

TEST_CASE("a row that has begun changes below the others until it is whole") {
  seen_screen at;
  at.hears("ann", "The first");
  CHECK(at.terminal.text()
        == asked_row + "       0 s        ann      says        The first");
  at.hears("ann", " row\nThe", noon + 4s);
  CHECK(at.terminal.text()
        == asked_row
             + "                  ann      says        The first row\n"
               "       4 s        ann      says        The");
  at.screen.see("s", closed("ann"), noon + 5s);
  CHECK(at.terminal.text()
        == asked_row
             + "                  ann      says        The first row\n"
               "                  ann      says        The\n"
             + done_row);
}

TEST_CASE("those who talk at once are told apart by their names") {
  seen_screen at;
  at.screen.see("s", dispatched("bob"), noon);
  for (const auto* text : {"a", "b"}) {
    at.hears("ann", text);
    at.hears("bob", text);
  }
  CHECK_THAT(at.terminal.text(),
             Catch::EndsWith("       0 s        ann      says        ab\n"
                             "       0 s        bob      says        ab"));
}

TEST_CASE("a long line is broken at spaces, and cut where there is none") {
  seen_screen at{false, true, 60};
  const std::string words = "these are words";
  at.hears("ann", words + ' ' + words + ' ' + std::string(30, 'x') + '\n');
  CHECK(at.terminal.text()
        == "     0.000 #1     ann      asked       talk\n"
           "                  ann      says        these are words these\n"
           "                  ann      says        are words\n"
           "                  ann      says        xxxxxxxxxxxxxxxxxxxxx\n"
           "                  ann      says        xxxxxxxxx\n");
}

TEST_CASE("nothing that a model says is obeyed by the terminal") {
  CHECK(rc::check([](const std::vector<std::string>& pieces) {
    seen_screen at;
    const auto before = at.written.size();
    for (const auto& piece : pieces)
      at.hears("ann", "\x1b[2J" + piece + "\x9b" + "\a");
    auto left = at.written.substr(before);
    for (const std::string ours : {"\r\x1b[J", "\r", "\n"})
      for (auto n = left.find(ours); n != left.npos; n = left.find(ours))
        left.erase(n, ours.size());
    for (const char c : left)
      RC_ASSERT(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
    for (const auto& line : {at.terminal.text()})
      for (std::size_t from = 0; from < line.size();) {
        const auto end = std::min(line.find('\n', from), line.size());
        RC_ASSERT(width(line.substr(from, end - from)) <= 70U);
        from = end + 1;
      }
  }));
}

TEST_CASE("who has been at work for a second has a line until it is done") {
  seen_screen at;
  at.screen.refresh(noon + 900ms);
  CHECK(at.terminal.text() == asked_row);
  at.screen.refresh(noon + 1s);
  CHECK(at.terminal.text() == asked_row + "       1 s        ann      works");
  at.screen.see("s", acts("ann"), noon + 2s);
  at.screen.refresh(noon + 75s);
  CHECK_THAT(at.terminal.text(),
             Catch::EndsWith(
               "      75 s        ann      works       model gpt"));
  at.screen.see("s", closed("ann"), noon + 76s);
  CHECK_THAT(at.terminal.text(),
             Catch::EndsWith(
               "      76 s        ann      works       model gpt"));
  at.screen.see(
    "s", logged("action_ended", R"({"participant_id":"ann"})") + closed("ann"),
    noon + 77s);
  CHECK_THAT(at.terminal.text(), Catch::EndsWith(done_row));
}

TEST_CASE("of many at work five have a line, and the others are counted") {
  seen_screen at;
  for (char name = 'a'; name <= 'h'; ++name)
    at.screen.see("s", dispatched(std::string{name}), noon + 1s);
  const auto rows = at.terminal.row();
  at.screen.refresh(noon + 3s);
  CHECK_THAT(at.terminal.text(),
             Catch::EndsWith("       2 s        d        works\nand 4 more"));
  CHECK(at.terminal.row() == rows);
  at.screen.end();
  CHECK_THAT(at.terminal.text(), Catch::EndsWith("h        asked\n"));
}

TEST_CASE("a screen that nobody can change has no lines for those at work") {
  seen_screen at{false};
  at.screen.refresh(noon + 60s);
  CHECK(at.terminal.text() == asked_row);
}

TEST_CASE("without text only those at work are shown") {
  seen_screen at{true, false};
  at.hears("ann", "hello\n", noon + 1s);
  CHECK(at.terminal.text() == asked_row + "       1 s        ann      works");
}

TEST_CASE("while somebody types no line changes, and text waits") {
  seen_screen at;
  at.hears("ann", "be");
  at.screen.hold(true);
  CHECK(at.terminal.text() == asked_row);
  at.hears("ann", "fore\nafter", noon + 9s);
  CHECK(at.terminal.text() == asked_row);
  at.screen.see("s", dispatched("bob"), noon + 9s);
  CHECK_THAT(at.terminal.text(), Catch::Contains("says        before\n")
                                   && Catch::EndsWith("bob      asked\n"));
  at.screen.hold(false);
  CHECK_THAT(at.terminal.text(), Catch::Contains("says        after"));
}

TEST_CASE("what is said after the answer is not shown") {
  seen_screen at;
  at.screen.see("s", closed("ann"), noon);
  at.hears("ann", "late\n");
  at.screen.hear("another", "ann", "of nobody\n");
  at.screen.end();
  at.hears("ann", "later\n");
  CHECK(at.terminal.text() == asked_row + done_row);
}

TEST_CASE("what comes faster than it is shown is dropped, and that is told") {
  seen_screen at{false};
  const std::string line(1023, 'x');
  for (int n = 0; n < 1000; ++n)
    at.screen.hear("s", "ann", line + '\n');
  at.screen.refresh(noon);
  const auto text = at.terminal.text();
  CHECK(text.size() < 3 * convene::protocol::text_backlog::bytes_max);
  CHECK(text.find(" bytes not shown\n") != text.npos);
  at.hears("ann", "and on\n");
  CHECK_THAT(at.terminal.text(), Catch::EndsWith("says        and on\n"));
}

TEST_CASE("text that waits is bounded, however many say how little") {
  arriving_text waiting;
  for (int n = 0; n < 100'000; ++n)
    waiting.add("s", std::to_string(n), "x");
  std::size_t bytes = 0;
  for (const auto& piece : waiting.take())
    bytes += piece.place.size() + piece.who.size() + piece.text.size();
  CHECK(bytes <= convene::protocol::text_backlog::bytes_max);
  waiting.add("s", "a", "again");
  CHECK(waiting.take().size() == 1);
}
