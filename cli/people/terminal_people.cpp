#include <convene/cli/people/answer_draft.hpp>
#include <convene/cli/people/terminal_mode.hpp>
#include <convene/cli/people/terminal_people.hpp>
#include <convene/cli/view/text.hpp>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <utility>

namespace convene::cli {
namespace {

/// A participant's request, and the answer so far.
struct open_request {
  explicit open_request(actors::turn_request what) : asked{std::move(what)} {}

  const actors::turn_request asked;
  answer_draft draft{asked};
};

terminal_form::heard take_line(open_request& of, std::string_view line) {
  using step = terminal_form::step;
  auto heard = of.draft.take(line);
  switch (heard.what) {
    case heard::kind::reply:
      if (of.asked.live->answer(std::move(heard.reply)))
        return {step::done, {}};
      return {step::done, neutral(of.asked.participant)
                            + ": this request is over; your answer came too "
                              "late."};
    case heard::kind::more:
      return {step::again, std::move(heard.text)};
    case heard::kind::complaint:
      return {step::again, neutral(heard.text)};
    case heard::kind::show:
      return {step::show, {}};
    case heard::kind::help:
      return {step::help, {}};
    default:
      return {step::quit, {}};
  }
}

terminal_form form_of(actors::turn_request asked, session_named named) {
  const auto open = std::make_shared<open_request>(std::move(asked));
  return {.name = open->asked.participant,
          .text = [open, named] { return question_text(open->asked, named); },
          .help = [open] { return help_for(open->asked); },
          .take
          = [open](std::string_view line) { return take_line(*open, line); }};
}

} // namespace

terminal_people::shared::~shared() {
  ::close(wake);
}

void terminal_people::shared::signal() {
  changed.notify_all();
  const std::uint64_t one = 1;
  // Full only if it has been signalled already.
  [[maybe_unused]] const auto written = ::write(wake, &one, sizeof one);
}

terminal_people::terminal_people(int input,
                                 std::function<void(std::string_view)> say,
                                 std::function<void()> quit,
                                 std::function<void(bool)> asking,
                                 session_named named)
  : input_(input), say_(std::move(say)), quit_(std::move(quit)),
    asking_(std::move(asking)), named_(named),
    shared_(std::make_shared<shared>()), is_terminal_(::isatty(input) != 0),
    piped_(answer_draft::bytes_max),
    editor_(answer_draft::bytes_max, &terminal_mode::show) {
  shared_->wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

terminal_people::~terminal_people() {
  {
    const std::lock_guard held{shared_->mutex};
    shared_->stopping = true;
    shared_->signal();
  }
  if (thread_.joinable())
    thread_.join();
}

void terminal_people::ask(actors::turn_request asked) {
  const auto live = asked.live;
  live->when_over(ask(form_of(std::move(asked), named_)));
}

void terminal_people::end_with_input() {
  struct stat is {};
  if (::fstat(input_, &is) != 0
      || !(S_ISFIFO(is.st_mode) || S_ISSOCK(is.st_mode) || S_ISREG(is.st_mode)))
    return;
  const std::lock_guard held{shared_->mutex};
  ends_with_input_ = true;
  if (!thread_.joinable())
    thread_ = std::thread{[this] { run(); }};
}

/// Waits while no question is open: false if none will be answered any more.
bool terminal_people::wait_idle(std::unique_lock<std::mutex>& held) {
  if (ends_with_input_ && piped_.at_end() && piped_.is_empty())
    return false;
  if (!ends_with_input_ || piped_.at_end() || piped_.is_full()) {
    shared_->changed.wait(held);
    return true;
  }
  held.unlock();
  std::array<pollfd, 2> both{{{input_, POLLIN, 0}, {shared_->wake, POLLIN, 0}}};
  if (::poll(both.data(), both.size(), -1) > 0) {
    std::uint64_t count = 0;
    if (both[1].revents != 0) [[maybe_unused]]
      const auto read = ::read(shared_->wake, &count, sizeof count);
    if (both[0].revents != 0)
      read_into(piped_);
  }
  held.lock();
  return true;
}

std::function<void()> terminal_people::ask(terminal_form form) {
  const auto made = std::make_shared<question>();
  made->form = std::move(form);
  {
    const std::lock_guard held{shared_->mutex};
    waiting_.push_back(made);
    if (!thread_.joinable())
      thread_ = std::thread{[this] { run(); }};
    shared_->signal();
  }
  // Weak: a turn that owned its question would own itself.
  return [question = std::weak_ptr{made}, shared = shared_] {
    const std::lock_guard held{shared->mutex};
    if (const auto open = question.lock()) {
      open->over = true;
      shared->signal();
    }
  };
}

void terminal_people::run() {
  while (const auto what = next()) {
    if (asking_)
      asking_(true);
    put(*what);
    if (asking_)
      asking_(false);
  }
}

/// The next question that is not over; null: it is time to stop.
std::shared_ptr<terminal_people::question> terminal_people::next() {
  std::unique_lock held{shared_->mutex};
  for (;;) {
    while (!waiting_.empty() && waiting_.front()->over)
      waiting_.pop_front();
    if (shared_->stopping)
      return nullptr;
    if (!waiting_.empty()) {
      auto first = std::move(waiting_.front());
      waiting_.pop_front();
      return first;
    }
    if (!wait_idle(held)) {
      held.unlock();
      say_("The input has ended.\n");
      quit_();
      return nullptr;
    }
  }
}

void terminal_people::put(question& what) {
  const auto& form = what.form;
  const auto name = neutral(form.name);
  const auto prompt = name + "> ";
  say_(form.text() + "/help lists the commands.\n");
  std::optional<terminal_mode> mode;
  if (is_terminal_) {
    editor_.use(terminal_mode::keys_of(input_));
    mode.emplace(input_, shared_->wake);
    if (discard_typed(input_, editor_.discard()))
      say_("Input typed before this question was discarded.\n");
  }
  editor_.begin(prompt);
  for (std::string line;;) {
    say_(prompt);
    switch (is_terminal_ ? read_line(what, line, editor_)
                         : read_line(what, line, piped_)) {
      case said::too_long:
        say_("this line is longer than 1 MiB and was left out\n");
        continue;
      case said::over:
        piped_.drop_begun();
        say_("\n" + name
             + ": this request is over; your answer is not needed "
               "any more.\n");
        return;
      case said::end:
        say_("\nThe input has ended.\n");
        return quit_();
      case said::line:
        if (!is_terminal_) // a terminal shows it already
          say_(neutral(line) + '\n');
        break;
    }
    const auto heard = form.take(line);
    if (!heard.text.empty())
      say_(heard.text + '\n');
    switch (heard.what) {
      case terminal_form::step::done:
        return;
      case terminal_form::step::again:
        break;
      case terminal_form::step::show:
        say_(form.text());
        break;
      case terminal_form::step::help:
        say_(form.help());
        break;
      case terminal_form::step::quit:
        return quit_();
    }
  }
}

terminal_people::said terminal_people::read_line(const question& what,
                                                 std::string& line,
                                                 auto& lines) {
  for (;;) {
    {
      const std::lock_guard held{shared_->mutex};
      if (what.over || shared_->stopping)
        return said::over;
    }
    switch (lines.cut(line)) {
      case typed_lines::found::line:
        return said::line;
      case typed_lines::found::too_long:
        return said::too_long;
      case typed_lines::found::none:
        break;
    }
    if (lines.at_end())
      return said::end;
    std::array<pollfd, 2> both{
      {{input_, POLLIN, 0}, {shared_->wake, POLLIN, 0}}};
    if (::poll(both.data(), both.size(), -1) < 0 && errno != EINTR)
      return said::end;
    if (both[1].revents != 0) {
      std::uint64_t count = 0;
      [[maybe_unused]] const auto read = ::read(shared_->wake, &count,
                                                sizeof count);
      if (terminal_mode::has_continued())
        editor_.show_again();
    }
    if (both[0].revents == 0)
      continue;
    read_into(lines);
  }
}

void terminal_people::read_into(auto& lines) {
  std::array<char, 4096> piece{};
  const auto got = ::read(input_, piece.data(), piece.size());
  if (got > 0)
    lines.feed({piece.data(), static_cast<std::size_t>(got)});
  else if (got == 0 || (errno != EINTR && errno != EAGAIN))
    lines.end();
}

} // namespace convene::cli
