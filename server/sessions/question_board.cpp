#include <convene/protocol/base/percent.hpp>
#include <convene/server/sessions/question_board.hpp>

#include <algorithm>
#include <utility>

namespace convene::server {
namespace {

/// What the log closes a question by that is no turn's; empty: by its token.
std::string subject_of(const actors::turn_request& asked) {
  if (!asked.dispute.conflict_id.empty())
    return subject_of_conflict(asked.dispute.conflict_id);
  return asked.kind == session::request_kind::decision
           ? subject_of_decision(asked.participant)
           : std::string{};
}

} // namespace

bool question_board::is_visible(const question_key& which,
                                const question& one) const {
  if (logged_.contains(which))
    return true;
  const auto row = feed_->sessions().find(one.asked->session_id);
  return row && row->events >= one.visible_from;
}

bool question_board::is_open_to(const question_filter& whose,
                                const questions::value_type& each) const {
  const auto& [which, one] = each;
  return one.is_listed && one.answer.empty()
         && whose.takes(one.asked->session_id, which.second)
         && is_visible(which, one);
}

void question_board::ask(actors::turn_request asked) {
  add(std::move(asked), true);
}

void question_board::expect(actors::turn_request asked) {
  add(std::move(asked), false);
}

void question_board::show(const actors::turn_request& asked) {
  {
    const std::lock_guard held{mutex_};
    const auto at = open_.find({asked.token, asked.participant});
    if (at == open_.end() || at->second.asked->live != asked.live)
      return;
    at->second.is_listed = true;
  }
  advance();
}

std::string question_board::reply_url(const actors::turn_request& asked) const {
  if (public_url_.empty())
    return {};
  return public_url_ + "/v1/requests/" + protocol::percent_encoded(asked.token)
         + "/reply?participant=" + protocol::percent_encoded(asked.participant);
}

void question_board::add(actors::turn_request asked, bool is_listed) {
  const question_key which{asked.token, asked.participant};
  const auto live = asked.live;
  std::uint64_t number = 0;
  calls due;
  {
    const std::lock_guard held{mutex_};
    if (stopping_)
      return;
    number = ++last_number_;
    const auto from = appended_(asked.session_id);
    if (auto about = subject_of(asked); !about.empty())
      subjects_.add({asked.session_id, std::move(about)}, which,
                    asked.deadline);
    open_[which] = {.asked = std::make_shared<const actors::turn_request>(
                      std::move(asked)),
                    .number = number,
                    .visible_from = from,
                    .is_listed = is_listed};
    if (const auto at = logged_.find(which); at != logged_.end())
      due.again = std::exchange(at->second.early, {});
  }
  live->when_over([weak = weak_from_this(), which, number] {
    if (const auto self = weak.lock())
      self->withdraw(which, number);
  });
  make(std::move(due));
  advance();
}

void question_board::make(calls&& due) {
  for (const auto& [then, outcome] : due.outcomes)
    then(outcome);
  for (auto& each : due.again)
    answer(std::move(each));
}

void question_board::advance() {
  std::vector<std::function<void()>> due;
  {
    const std::lock_guard held{mutex_};
    if (waiters_.empty())
      return;
    const auto rest
      = std::partition(waiters_.begin(), waiters_.end(), [&](const auto& one) {
          return std::ranges::none_of(open_, [&](const auto& each) {
            return is_open_to(one.whose, each);
          });
        });
    for (auto at = rest; at != waiters_.end(); ++at)
      due.push_back(std::move(at->then));
    waiters_.erase(rest, waiters_.end());
  }
  for (const auto& call : due)
    call();
}

void question_board::stop() {
  std::vector<waiter> waiting;
  calls due;
  {
    const std::lock_guard held{mutex_};
    stopping_ = true;
    waiting.swap(waiters_);
    for (auto& [which, one] : open_)
      for (auto& then : one.then)
        due.outcomes.emplace_back(std::move(then),
                                  answer_outcome{
                                    .what = answer_outcome::kind::stopping});
    for (auto& [which, one] : logged_)
      for (auto& each : one.early)
        due.outcomes.emplace_back(std::move(each.then),
                                  answer_outcome{
                                    .what = answer_outcome::kind::stopping});
    open_.clear();
    logged_.clear();
  }
  for (const auto& one : waiting)
    one.then();
  make(std::move(due));
}

void question_board::let_go(const std::string& session_id) {
  calls due;
  {
    const answer_outcome later{.what = answer_outcome::kind::stopping};
    const std::lock_guard held{mutex_};
    for (auto& [which, one] : open_)
      if (one.asked->session_id == session_id)
        for (auto& then : one.then)
          due.outcomes.emplace_back(std::move(then), later);
    for (auto& [which, one] : logged_)
      if (one.session_id == session_id)
        for (auto& each : one.early)
          due.outcomes.emplace_back(std::move(each.then), later);
    std::erase_if(open_, [&](const auto& each) {
      return each.second.asked->session_id == session_id;
    });
    std::erase_if(logged_, [&](const auto& each) {
      return each.second.session_id == session_id;
    });
  }
  make(std::move(due));
}

question_board::list question_board::open(const question_filter& whose,
                                          std::size_t limit) const {
  std::vector<std::pair<std::uint64_t, decltype(question::asked)>> found;
  {
    const std::lock_guard held{mutex_};
    for (const auto& each : open_)
      if (is_open_to(whose, each))
        found.emplace_back(each.second.number, each.second.asked);
  }
  std::ranges::sort(found, {}, [](const auto& each) { return each.first; });
  list made{.more = found.size() > limit};
  for (auto& [number, asked] : found) {
    if (made.open.size() == limit)
      break;
    made.open.push_back(std::move(asked));
  }
  return made;
}

bool question_board::when_asked(const question_filter& whose,
                                std::function<void()> then,
                                clock::time_point expires) {
  const std::lock_guard held{mutex_};
  const auto now = clock::now();
  std::erase_if(waiters_,
                [now](const waiter& one) { return one.expires < now; });
  if (stopping_ || std::ranges::any_of(open_, [&](const auto& each) {
        return is_open_to(whose, each);
      }))
    return false;
  waiters_.push_back({whose, std::move(then), expires});
  return true;
}

} // namespace convene::server
