#include <catch2/catch.hpp>
#include <convene/server/sessions/question_board.hpp>

#include <thread>

using namespace convene;
using server::answer_outcome;
using kind = answer_outcome::kind;

namespace {

const std::string session_id = "0f6b7f5e-5d3b-4c57-9a40-3f2a6a1e7c11";

/// A board, a log that says what it is told to, and people who answer.
struct board_fixture {
  host::blocking_pool pool{{.threads = 1}};
  std::shared_ptr<server::event_feed> feed
    = std::make_shared<server::event_feed>("nowhere", pool);
  std::uint64_t appended = 0;
  std::shared_ptr<server::question_board> board
    = std::make_shared<server::question_board>(
      feed, [this](const std::string&) { return appended; });
  std::vector<protocol::reply> taken;
  std::vector<answer_outcome> outcomes;

  std::shared_ptr<actors::live_turn>
  ask(const std::string& token, const std::string& who = "ana",
      const std::string& conflict = "", std::int64_t deadline = 1'000) {
    actors::turn_request asked;
    asked.dispute.conflict_id = conflict;
    asked.deadline = deadline;
    asked.session_id = session_id;
    asked.token = token;
    asked.participant = who;
    asked.live = std::make_shared<actors::live_turn>(
      [this](protocol::reply what) { taken.push_back(std::move(what)); });
    auto live = asked.live;
    board->ask(std::move(asked));
    return live;
  }

  /// An event of the session is durable.
  void log_event() {
    feed->add({"x", 1, 1, 1, 0}, R"({"event_id":"e","event_type":"x",)"
                                 R"("event_family":"y","session_id":")"
                                   + session_id + "\"}");
    board->advance();
  }

  void note(bool opens, const std::string& token,
            std::optional<protocol::reply> reply = {},
            const std::string& how = "timed_out") {
    board->note({.opens = opens,
                 .session_id = session_id,
                 .token = token,
                 .participants = {"ana"},
                 .reply = std::move(reply),
                 .how = how});
  }

  void answer(const std::string& token, const std::string& content,
              server::question_filter whose = {}) {
    board->answer(
      {.token = token,
       .whose = std::move(whose),
       .reply = {.content = content},
       .check = [](const auto&,
                   const protocol::reply& given) -> protocol::result<void> {
         if (given.content == "bad")
           return protocol::fail(protocol::errc::invalid_document, "bad");
         return {};
       },
       .then
       = [this](const answer_outcome& what) { outcomes.push_back(what); }});
  }

  [[nodiscard]] std::size_t open() const {
    return board->open({}, 100).open.size();
  }
};

} // namespace

TEST_CASE("a question is shown once what led to it is durable") {
  board_fixture at;
  at.appended = 2;
  at.ask("t");
  bool told = false;
  CHECK(at.board->when_asked(
    {}, [&] { told = true; },
    server::question_board::clock::time_point::max()));
  at.log_event();
  CHECK(at.open() == 0);
  at.answer("t", "x");
  REQUIRE(at.outcomes.size() == 1);
  CHECK(at.outcomes[0].what == kind::unknown);
  CHECK_FALSE(told);
  at.log_event();
  CHECK(at.open() == 1);
  CHECK(told);
  CHECK_FALSE(at.board->when_asked(
    {}, [] {}, server::question_board::clock::time_point::max()));
}

TEST_CASE("an answer counts once the log has it, and as what the log has") {
  board_fixture at;
  at.ask("t");
  at.log_event();
  at.answer("t", "yes");
  CHECK(at.taken.size() == 1);
  CHECK(at.outcomes.empty());
  CHECK(at.open() == 0); // nobody else is to answer it
  at.answer("t", "yes");
  at.answer("t", "no");
  REQUIRE(at.outcomes.size() == 1);
  CHECK(at.outcomes[0].what == kind::answered_otherwise);
  at.note(false, "t", protocol::reply{.content = "yes"});
  REQUIRE(at.outcomes.size() == 3);
  CHECK(at.outcomes[1].what == kind::accepted);
  CHECK(at.outcomes[2].what == kind::duplicate);
  at.answer("t", "yes");
  at.answer("t", "no");
  CHECK(at.outcomes[3].what == kind::duplicate);
  CHECK(at.outcomes[4].what == kind::answered_otherwise);
  CHECK(at.taken.size() == 1);
}

TEST_CASE("an answer is not accepted if another one closed the turn") {
  protocol::reply theirs{.content = "theirs"};
  theirs.writes.resize(4'000); // it takes a while to be thrown away
  for (int round = 0; round < 10; ++round) {
    board_fixture at;
    const auto live = at.ask("t");
    at.log_event();
    std::thread log;
    at.board->answer(
      {.token = "t",
       .whose = {},
       .reply = theirs,
       .check = [&](const auto&, const auto&) -> protocol::result<void> {
         // The service's own answer, and the log's word of it, come between.
         live->answer({.content = "own"});
         log = std::thread{
           [&at] { at.note(false, "t", protocol::reply{.content = "own"}); }};
         return {};
       },
       .then
       = [&](const answer_outcome& what) { at.outcomes.push_back(what); }});
    log.join();
    REQUIRE(at.outcomes.size() == 1);
    REQUIRE(at.outcomes[0].what != kind::accepted);
    REQUIRE(at.taken.size() == 1);
    at.answer("t", "own");
    REQUIRE(at.outcomes.back().what == kind::duplicate);
    at.answer("t", "theirs");
    REQUIRE(at.outcomes.back().what == kind::answered_otherwise);
  }
}

TEST_CASE("an answer that came too late is told so, though it was sent") {
  board_fixture at;
  at.ask("t");
  at.log_event();
  at.answer("t", "yes");
  at.note(false, "t");
  REQUIRE(at.outcomes.size() == 1);
  CHECK(at.outcomes[0].what == kind::over);
  CHECK(at.outcomes[0].how == "timed_out");
}

TEST_CASE("a question that is withdrawn is over, and the log says better why") {
  board_fixture at;
  const auto live = at.ask("t");
  at.log_event();
  live->close();
  CHECK(at.open() == 0);
  at.answer("t", "yes");
  CHECK(at.outcomes.back().what == kind::over);
  CHECK(at.outcomes.back().how == "withdrawn");
  at.note(false, "t", std::nullopt, "cancelled");
  at.answer("t", "yes");
  CHECK(at.outcomes.back().how == "cancelled");
  CHECK(at.taken.empty());
}

TEST_CASE("a conflict that timed out was a time-out for who did not vote") {
  board_fixture f;
  const auto ask = [&f](const std::string& token, const std::string& conflict) {
    return f.ask(token, "ana", conflict);
  };
  const auto voted = ask("t1", "c1");
  const auto silent = ask("t2", "c1");
  const auto other = ask("t3", "c2");
  const auto open = ask("t4", "c1");
  const auto again = f.ask("t5", "ana", "c1", 1'001); // since
  f.log_event();
  f.answer("t1", "ivo");
  f.note(false, "t1", protocol::reply{.content = "ivo"}, "answered");
  silent->close();
  other->close();
  f.board->note({.session_id = session_id,
                 .subject = server::subject_of_conflict("c1"),
                 .at = 1'000,
                 .how = "timed_out"});
  f.outcomes.clear();
  for (const auto* token : {"t1", "t2", "t3", "t4"})
    f.answer(token, "late");
  REQUIRE(f.outcomes.size() == 4);
  CHECK(f.outcomes[0].what == kind::answered_otherwise);
  CHECK(f.outcomes[1].how == "timed_out");
  CHECK(f.outcomes[2].how == "withdrawn");
  CHECK(f.outcomes[3].how == "timed_out");
  CHECK(f.open() == 1);
}

TEST_CASE("an answer that is none leaves the question open") {
  board_fixture at;
  at.ask("t");
  at.log_event();
  at.answer("t", "bad");
  REQUIRE(at.outcomes.size() == 1);
  CHECK(at.outcomes[0].what == kind::refused);
  CHECK(at.open() == 1);
}

TEST_CASE("an answer to a request of the log waits until somebody is asked") {
  board_fixture at;
  at.note(true, "t");
  at.answer("t", "yes");
  CHECK(at.outcomes.empty());
  at.ask("t");
  CHECK(at.taken.size() == 1);
  at.note(false, "t", protocol::reply{.content = "yes"});
  REQUIRE(at.outcomes.size() == 1);
  CHECK(at.outcomes[0].what == kind::accepted);
  at.note(true, "u");
  at.answer("u", "yes");
  at.note(false, "u", std::nullopt, "cancelled");
  CHECK(at.outcomes.back().what == kind::over);
  at.note(true, "v");
  for (int i = 0; i < 17; ++i)
    at.answer("v", "yes");
  CHECK(at.outcomes.size() == 3); // only so many may wait
  CHECK(at.outcomes.back().what == kind::stopping);
}

TEST_CASE("the end of a session closes its questions, and not newer ones") {
  board_fixture at;
  at.ask("t");
  at.log_event();
  at.note(true, "u");
  at.answer("u", "x");
  at.appended = 5;
  at.ask("new");
  at.board->note({.session_id = session_id, .how = "suspended"});
  CHECK(at.open() == 0);
  CHECK(at.outcomes.back().what == kind::over);
  CHECK(at.outcomes.back().how == "suspended");
  for (int i = 0; i < 4; ++i)
    at.log_event();
  CHECK(at.open() == 1);
}

TEST_CASE("when the host goes, everybody is told") {
  board_fixture at;
  at.ask("t");
  at.log_event();
  at.note(true, "u");
  at.answer("t", "yes");
  at.answer("u", "yes");
  bool told = false;
  CHECK(at.board->when_asked(
    {}, [&] { told = true; },
    server::question_board::clock::time_point::max()));
  at.board->stop();
  CHECK(told);
  REQUIRE(at.outcomes.size() == 2);
  CHECK(at.outcomes[0].what == kind::stopping);
  CHECK(at.outcomes[1].what == kind::stopping);
  at.ask("w");
  CHECK(at.open() == 0);
}
