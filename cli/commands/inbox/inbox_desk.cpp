#include <convene/cli/commands/inbox/inbox_desk.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/people/question_text.hpp>
#include <convene/cli/people/terminal_people.hpp>
#include <convene/cli/view/text.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <utility>
#include <vector>

namespace convene::cli {
namespace {

using protocol::errc;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

/// How often to look while somebody is thinking.
constexpr milliseconds look_again{2'000};
/// No longer, as nobody tells of a run's questions.
constexpr std::int64_t wait_ms = 2'000;
constexpr milliseconds try_again{1'000};
/// How long a server may be away: an answer, or who does not watch, gives up.
constexpr seconds away_max{60};
constexpr std::size_t title_columns = 40;
/// Questions that wait at the terminal; others are asked once these are over.
constexpr std::size_t waiting_max = 1'000;

} // namespace

question_key key_of(const actors::turn_request& asked) {
  return {asked.token, asked.participant};
}

question_key key_of(const run_interrupt& asked) {
  // No token has a slash.
  return {asked.run_id + "/" + asked.node_id, asked.interrupt_id};
}

inbox_desk::inbox_desk(const client& server, inbox_wish whose, bool watches,
                       const common_options& common, std::stop_source stop)
  : server_{server}, whose_{std::move(whose)}, watches_{watches},
    common_{common}, stop_{std::move(stop)},
    people_{std::make_unique<terminal_people>(
      STDIN_FILENO, [this](std::string_view text) { say(text); },
      [this] {
        const std::lock_guard held{mutex_};
        has_left_ = is_changed_ = true;
        changed_.notify_all();
      },
      [this](bool is_asking) {
        const std::lock_guard held{mutex_};
        is_asking_ = is_asking;
        changed_.notify_all();
      },
      session_named::yes)} {
  if (watches_)
    people_->end_with_input();
}

inbox_desk::~inbox_desk() {
  stop_.request_stop();
}

void inbox_desk::say(std::string_view text) {
  if (is_over()) // what is withdrawn at the end is not over
    return;
  const std::lock_guard held{output_};
  print(text);
  flush_output();
}

bool inbox_desk::is_over() {
  const std::lock_guard held{mutex_};
  return has_left_ || stop_.stop_requested();
}

bool inbox_desk::is_idle() {
  const std::lock_guard held{mutex_};
  return open_.empty();
}

bool inbox_desk::pause(milliseconds time, bool until_changed) {
  std::unique_lock held{mutex_};
  changed_.wait_for(held, stop_.get_token(), time, [&] {
    return has_left_ || (until_changed && is_changed_);
  });
  is_changed_ = false;
  return !has_left_ && !stop_.stop_requested();
}

bool inbox_desk::goes_on_after(const protocol::error& why) {
  if (why.code != errc::io_failed || !was_reached_
      || (!watches_ && steady_clock::now() - reached_ > away_max))
    return false;
  if (!std::exchange(is_away_, true))
    print_note("the server cannot be reached, trying again: " + why.message);
  return true;
}

void inbox_desk::show_list(const inbox_found& found) {
  if (common_.quiet)
    return;
  std::string text;
  const auto& runs = found.of_runs.all;
  const auto count = found.of_sessions.all.size() + runs.size();
  if (count == 0 && !watches_)
    text = "No open questions.\n";
  else if (count != 0)
    text = plural(count, "open question")
           + (found.of_sessions.more || found.of_runs.more ? ", and more\n"
                                                           : "\n");
  for (const auto& each : runs)
    text += fmt::format("   {}: {}, in a run of {}{}\n", neutral(each.node_id),
                        wanted_words(each),
                        fit(neutral(each.workflow_id), title_columns),
                        each.deadline.size() < 16
                          ? ""
                          : fmt::format(" (until {} {} UTC)",
                                        neutral(each.deadline.substr(0, 10)),
                                        neutral(each.deadline.substr(11, 5))));
  for (const auto& each : found.of_sessions.all) {
    const auto until = protocol::format_timestamp(each.deadline);
    text += fmt::format("   {}: {}, in {} (until {} {} UTC)\n",
                        neutral(each.participant), wanted_words(each),
                        fit(neutral(each.title), title_columns),
                        until.substr(0, 10), until.substr(11, 5));
  }
  say(text);
}

void inbox_desk::ask(const actors::turn_request& asked) {
  auto to_person = asked;
  const auto key = key_of(asked);
  to_person.live = std::make_shared<actors::live_turn>(
    [this, key](const protocol::reply& what) { deliver(key, what); });
  {
    const std::lock_guard held{mutex_};
    open_[key] = [live = to_person.live] { live->close(); };
  }
  people_->ask(std::move(to_person));
}

void inbox_desk::ask(const run_interrupt& asked) {
  // The person may be faster than this thread.
  {
    const std::lock_guard held{mutex_};
    open_[key_of(asked)] = [] {};
  }
  auto withdraw = people_->ask(
    form_of(asked, [this, asked](const boost::json::value& what) {
      return resolve(asked, what);
    }));
  const std::lock_guard held{mutex_};
  if (const auto found = open_.find(key_of(asked)); found != open_.end())
    found->second = std::move(withdraw);
}

template <class Call>
auto inbox_desk::send(Call call) {
  const auto begun = steady_clock::now();
  for (;;) {
    auto got = call();
    if (got || got.error().code != errc::io_failed
        || steady_clock::now() - begun > away_max || !pause(try_again, false))
      return got;
  }
}

delivered inbox_desk::resolve(const run_interrupt& asked,
                              const boost::json::value& what) {
  const auto got = send([&] {
    return server_.resolve(asked.run_id, asked.node_id,
                           {{"resumeValue", what},
                            {"interruptId", asked.interrupt_id}});
  });
  if (got) {
    const auto* const members = what.if_object();
    const auto* const turn = members ? members->if_contains("operation")
                                     : nullptr;
    if (turn != nullptr && *turn == "exchange")
      return {delivered::how::taken, asked.node_id + ": your turn is taken."};
    settle(key_of(asked), true, false);
    return {delivered::how::taken,
            asked.node_id + ": your answer is accepted."};
  }
  const auto& why = got.error();
  const bool is_wrong = why.rule == "validation_error"
                        || why.code == errc::io_failed;
  settle(key_of(asked), !is_wrong, !is_wrong);
  return {is_wrong ? delivered::how::wrong : delivered::how::over,
          asked.node_id + ": your answer is not accepted: " + line_of(why)};
}

void inbox_desk::settle(const question_key& which, bool is_over,
                        bool has_failed) {
  if (!is_over)
    return;
  const std::lock_guard held{mutex_};
  open_.erase(which);
  done_.insert(which);
  has_failed_ = has_failed_ || has_failed;
  is_changed_ = true;
  changed_.notify_all();
}

template <class Question>
void inbox_desk::take_each(const std::vector<Question>& all,
                           std::set<question_key>& listed) {
  for (const auto& each : all) {
    const auto key = key_of(each);
    listed.insert(key);
    bool is_known = false;
    {
      const std::lock_guard held{mutex_};
      is_known = open_.contains(key) || done_.contains(key)
                 || open_.size() >= waiting_max;
    }
    if (!is_known)
      ask(each);
  }
}

void inbox_desk::take(const inbox_found& found) {
  std::set<question_key> listed;
  take_each(found.of_runs.all, listed);
  take_each(found.of_sessions.all, listed);
  // It may only not be among those.
  if (found.of_sessions.more || found.of_runs.more)
    return;
  std::vector<std::function<void()>> gone;
  {
    const std::lock_guard held{mutex_};
    std::erase_if(done_,
                  [&](const auto& key) { return !listed.contains(key); });
    std::erase_if(open_, [&](const auto& each) {
      if (listed.contains(each.first))
        return false;
      gone.push_back(each.second);
      return true;
    });
  }
  for (const auto& each : gone)
    each();
}

void inbox_desk::deliver(const question_key& which,
                         const protocol::reply& what) {
  const auto got
    = send([&] { return server_.answer(which.first, which.second, what); });
  const auto name = neutral(which.second);
  if (got)
    say(name + ": your answer is accepted.\n");
  else
    say(fmt::format("{}: your answer is not accepted: {}\n", name,
                    neutral(line_of(got.error()))));
  const std::lock_guard held{mutex_};
  open_.erase(which);
  // What can be put right is asked again.
  if (got
      || (got.error().code != errc::invalid_document
          && got.error().code != errc::io_failed)) {
    done_.insert(which);
    has_failed_ = has_failed_ || !got;
  }
  is_changed_ = true;
  changed_.notify_all();
}

/// Who is asked what was withdrawn has to be told.
void inbox_desk::finish() {
  std::unique_lock held{mutex_};
  changed_.wait(held, stop_.get_token(),
                [this] { return !is_asking_ || has_left_; });
}

int inbox_desk::run() {
  for (;;) {
    auto whose = whose_;
    if (whose.of_sessions && watches_ && is_idle())
      whose.of_sessions->wait_ms = wait_ms;
    const auto found = look_into(server_, whose, stop_.get_token());
    if (is_over())
      break;
    if (!found) {
      if (!goes_on_after(found.error()))
        return report(found.error(), common_.json);
      if (!pause(try_again, false))
        break;
      continue;
    }
    is_away_ = false;
    reached_ = steady_clock::now();
    if (!std::exchange(was_reached_, true))
      show_list(*found);
    take(*found);
    if (is_idle() && !watches_ && !found->of_sessions.more
        && !found->of_runs.more) {
      finish();
      break;
    }
    // Also where a server answers at once that there is nothing.
    if (is_idle() ? !pause(try_again, false) : !pause(look_again, true))
      break;
  }
  const std::lock_guard held{mutex_};
  if (!open_.empty() && !common_.quiet)
    print_note(plural(open_.size(), "question") + " left open");
  return has_failed_ ? exit_no : exit_good;
}

} // namespace convene::cli
