#include <catch2/catch.hpp>
#include <convene/cli/people/terminal_people.hpp>
#include <pty.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using namespace convene;

namespace {

enum class input : std::uint8_t { pipe, tty };

/// A terminal whose lines a test types, and who waits for what comes of them.
class terminal {
public:
  explicit terminal(input kind = input::pipe) {
    if (kind == input::pipe)
      REQUIRE(::pipe(pipe_.data()) == 0);
    else
      open_terminal();
    people_ = std::make_unique<cli::terminal_people>(
      pipe_[0],
      [this](std::string_view text) { note([&] { shown_ += text; }); },
      [this] { note([&] { quits_ = true; }); });
  }

  ~terminal() {
    people_.reset();
    ::close(pipe_[0]);
    if (screen_.joinable())
      screen_.join();
    hang_up();
  }
  terminal(const terminal&) = delete;
  terminal& operator=(const terminal&) = delete;

  void type(std::string_view text) const {
    REQUIRE(::write(pipe_[1], text.data(), text.size())
            == static_cast<ssize_t>(text.size()));
  }

  /// Whether the kernel makes lines, and echoes.
  [[nodiscard]] bool has_line_mode() const {
    termios now{};
    REQUIRE(::tcgetattr(pipe_[0], &now) == 0);
    return (now.c_lflag & (ICANON | ECHO)) == (ICANON | ECHO);
  }

  /// Nobody is asked here any more.
  void leave() {
    people_.reset();
  }

  void hang_up() {
    if (pipe_[1] >= 0)
      ::close(std::exchange(pipe_[1], -1));
  }

  void end_with_input() {
    people_->end_with_input();
  }

  std::shared_ptr<actors::live_turn> ask(const std::string& who) {
    actors::turn_request asked;
    asked.participant = who;
    asked.task = "say something";
    asked.live
      = std::make_shared<actors::live_turn>([this, who](protocol::reply what) {
          note([&] { answers_.push_back(who + ": " + what.content); });
        });
    const auto live = asked.live;
    people_->ask(std::move(asked));
    return live;
  }

  std::vector<std::string> answers(std::size_t count) {
    return wait([&] { return answers_.size() >= count; }, answers_);
  }
  std::string shown(std::string_view part) {
    return wait([&] { return shown_.find(part) != std::string::npos; }, shown_);
  }
  /// Waits until a terminal has shown what was typed: then it has been read.
  void echoed(std::string_view part) {
    wait([&] { return echoed_.find(part) != std::string::npos; }, quits_);
  }
  bool has_quit() {
    return wait([&] { return quits_; }, quits_);
  }

private:
  /// Reads what the terminal shows, as a screen does: whoever writes more than
  /// the kernel keeps waits for that. Until all have closed the terminal.
  void open_terminal() {
    REQUIRE(::openpty(&pipe_[1], pipe_.data(), nullptr, nullptr, nullptr) == 0);
    screen_ = std::thread{[this, from = pipe_[1]] {
      std::array<char, 4096> some{};
      for (;;) {
        const auto got = ::read(from, some.data(), some.size());
        if (got <= 0)
          return;
        note(
          [&] { echoed_.append(some.data(), static_cast<std::size_t>(got)); });
      }
    }};
  }

  void note(auto change) {
    const std::lock_guard held{mutex_};
    change();
    changed_.notify_all();
  }
  template <class Until, class What>
  What wait(Until until, const What& what) {
    std::unique_lock held{mutex_};
    changed_.wait(held, until);
    return what;
  }

  std::array<int, 2> pipe_{-1, -1};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string shown_;
  std::string echoed_;
  std::vector<std::string> answers_;
  bool quits_ = false;
  std::thread screen_;
  std::unique_ptr<cli::terminal_people> people_;
};

} // namespace

TEST_CASE("several people answer at one terminal, in the order of questions") {
  terminal at;
  at.ask("ana");
  at.ask("ben");
  at.type("first\nsecond\n");
  CHECK(at.answers(2) == std::vector<std::string>{"ana: first", "ben: second"});
}

TEST_CASE("answers can be piped in before anybody asks") {
  terminal at;
  at.type("early\nlast without an end");
  at.hang_up();
  at.ask("ana");
  at.ask("ben");
  CHECK(at.answers(2)
        == std::vector<std::string>{"ana: early", "ben: last without an end"});
}

TEST_CASE("a question that is over gives way to the next one") {
  terminal at;
  const auto first = at.ask("ana");
  at.shown("ana> ");
  at.ask("ben");
  first->close();
  at.shown("ana: this request is over");
  at.type("mine\n");
  CHECK(at.answers(1) == std::vector<std::string>{"ben: mine"});
}

TEST_CASE("a question that is over before it is shown is never shown") {
  terminal at;
  at.ask("ana");
  at.ask("ben")->close();
  at.type("one\n");
  at.answers(1);
  at.ask("eve");
  const auto text = at.shown("eve> ");
  CHECK(text.find("ben> ") == std::string::npos);
}

TEST_CASE("/quit and the end of the input suspend the session") {
  terminal at;
  at.ask("ana");
  SECTION("/quit") {
    at.type("/quit\n");
  }
  SECTION("the end") {
    at.hang_up();
  }
  CHECK(at.has_quit());
}

TEST_CASE("the end of the input is noticed between questions, if asked for") {
  terminal at;
  SECTION("nothing was asked") {
    at.end_with_input();
    at.hang_up();
  }
  SECTION("all that was piped in answers first") {
    at.type("one\ntwo\n");
    at.end_with_input();
    at.hang_up();
    at.ask("ana");
    CHECK(at.answers(1) == std::vector<std::string>{"ana: one"});
    at.ask("ben");
    CHECK(at.answers(2).back() == "ben: two");
  }
  CHECK(at.has_quit());
  CHECK_THAT(at.shown("has ended"), Catch::Contains("The input has ended."));
}

TEST_CASE("a complaint leaves the question open") {
  terminal at;
  at.ask("ana");
  at.type("/nonsense\n/help\n/show\nfine\n");
  CHECK(at.answers(1) == std::vector<std::string>{"ana: fine"});
  CHECK_THAT(at.shown("unknown command"), Catch::Contains("/decline"));
}

TEST_CASE("the line that was begun for a question goes with it") {
  const auto kind = GENERATE(input::pipe, input::tty);
  terminal at{kind};
  const auto first = at.ask("ana");
  at.shown("ana> ");
  at.type("/appro");
  if (kind == input::pipe) {
    // Once the end of a line before it has shown, it has been read.
    at.type("\n/appro");
    at.shown("unknown command /appro");
  } else {
    at.echoed("/appro");
  }
  at.ask("ben");
  first->close();
  at.shown("ben> ");
  at.type("ve\nmine\n");
  CHECK(
    at.answers(1)
    == std::vector<std::string>{kind == input::pipe ? "ben: mine" : "ben: ve"});
}

TEST_CASE("what was typed at a terminal before a question is no answer to it") {
  terminal at{input::tty};
  at.ask("ana");
  at.shown("ana> ");
  at.ask("ben");
  at.type("first\nsecond\n/approve");
  at.answers(1);
  CHECK_THAT(at.shown("ben> "), Catch::Contains("was discarded"));
  at.type("third\n");
  CHECK(at.answers(2) == std::vector<std::string>{"ana: first", "ben: third"});
}

TEST_CASE("a line at a terminal can be longer than the kernel's") {
  terminal at{input::tty};
  std::string pasted;
  while (pasted.size() < 20'000)
    pasted += "a line of what is pasted\r";
  auto expected = pasted;
  std::ranges::replace(expected, '\r', '\n');
  const std::string line(10'000, 'x');
  at.ask("ana");
  at.shown("ana> ");
  CHECK_FALSE(at.has_line_mode());
  at.type("\x1b[200~" + pasted + "end\x1b[201~\r");
  at.ask("ben");
  at.answers(1);
  at.shown("ben> ");
  at.type(line + '\r');
  CHECK(
    at.answers(2)
    == std::vector<std::string>{"ana: " + expected + "end", "ben: " + line});
}

TEST_CASE("a terminal is as before once nobody is asked") {
  terminal at{input::tty};
  CHECK(at.has_line_mode());
  const auto first = at.ask("ana");
  at.shown("ana> ");
  CHECK_FALSE(at.has_line_mode());
  first->close();
  at.shown("this request is over");
  at.leave();
  CHECK(at.has_line_mode());
}

TEST_CASE("a line that is too long is left out whole") {
  terminal at;
  at.ask("ana");
  // More than a pipe holds.
  std::thread types{[&at] {
    const std::string piece(std::size_t{64} << 10, 'x');
    for (int i = 0; i <= 16; ++i)
      at.type(piece);
    at.type("/decline\nfine\n");
  }};
  CHECK(at.answers(1) == std::vector<std::string>{"ana: fine"});
  types.join();
}
