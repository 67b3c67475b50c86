#include <boost/json/serialize.hpp>
#include <convene/protocol/base/percent_encode.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/server/sessions/question_board.hpp>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <set>

namespace convene::server {
namespace {

using kind = answer_outcome::kind;

/// Answers to one request that may wait until somebody is asked.
constexpr std::size_t early_max = 16;

std::string digest_of(const protocol::reply& reply) {
  return protocol::hex_of(
    protocol::sha256(boost::json::serialize(protocol::encode(reply))));
}

bool matches(const question_filter& whose, const std::string& session_id,
             const std::string& participant) {
  return (whose.session_id.empty() || whose.session_id == session_id)
         && (whose.participant.empty() || whose.participant == participant);
}

/// Of a map by token and participant, those of this token.
auto of_token(auto& all, const std::string& token) {
  auto end = all.lower_bound({token, ""});
  const auto begin = end;
  while (end != all.end() && end->first.first == token)
    ++end;
  return std::ranges::subrange(begin, end);
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
         && matches(whose, one.asked->session_id, which.second)
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

/// Why it is over, the log will say, if it does.
void question_board::withdraw(const question_key& which, std::uint64_t number) {
  calls due;
  {
    const std::lock_guard held{mutex_};
    const auto at = open_.find(which);
    // One that was answered waits for what the log says of the answer.
    if (at == open_.end() || at->second.number != number
        || !at->second.answer.empty())
      return;
    take(at, {.session_id = at->second.asked->session_id}, due);
  }
  make(std::move(due));
}

/// Forgets an open question; tells those who answered it.
void question_board::take(questions::iterator at, closed_question as,
                          calls& due) {
  const answer_outcome outcome{.what = as.answer.empty() ? kind::over
                                       : as.answer == at->second.answer
                                         ? kind::accepted
                                         : kind::answered_otherwise,
                               .session_id = as.session_id,
                               .participant = at->first.second,
                               .how = as.how};
  for (auto& then : at->second.then)
    due.outcomes.emplace_back(std::move(then), outcome);
  closed_.add(at->first, std::move(as));
  open_.erase(at);
}

void question_board::close(const question_key& which, closed_question as,
                           const protocol::reply* reply, calls& due) {
  const auto at = open_.find(which);
  const bool is_given = at != open_.end() && at->second.is_given;
  // As it was given: the log may have it in another form.
  if (reply != nullptr)
    as.answer = is_given && !at->second.answer.empty() ? at->second.answer
                                                       : digest_of(*reply);
  if (at == open_.end())
    closed_.add(which, std::move(as));
  else if (is_given)
    take(at, std::move(as), due);
  else if (!at->second.logged_as)
    at->second.logged_as = std::move(as);
  if (const auto known = logged_.find(which); known != logged_.end()) {
    std::ranges::move(known->second.early, std::back_inserter(due.again));
    logged_.erase(known);
  }
}

/// Not those that were asked since.
void question_board::close_session(const request_change& what, calls& due) {
  const auto row = feed_->sessions().find(what.session_id);
  const auto until = row ? row->events : 0;
  std::set<question_key> all;
  for (const auto& [which, one] : open_)
    if (one.asked->session_id == what.session_id && one.visible_from <= until)
      all.insert(which);
  for (const auto& [which, one] : logged_)
    if (one.session_id == what.session_id)
      all.insert(which);
  for (const auto& which : all)
    close(which, {.session_id = what.session_id, .how = what.how}, nullptr,
          due);
}

void question_board::note(const request_change& what) {
  calls due;
  {
    const std::lock_guard held{mutex_};
    if (what.opens && !stopping_)
      for (const auto& who : what.participants)
        logged_[{what.token, who}].session_id = what.session_id;
    else if (what.token.empty())
      close_session(what, due);
    else
      for (const auto& who : what.participants)
        close({what.token, who},
              {.session_id = what.session_id, .how = what.how},
              what.reply ? &*what.reply : nullptr, due);
  }
  make(std::move(due));
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
                                  answer_outcome{.what = kind::stopping});
    for (auto& [which, one] : logged_)
      for (auto& each : one.early)
        due.outcomes.emplace_back(std::move(each.then),
                                  answer_outcome{.what = kind::stopping});
    open_.clear();
    logged_.clear();
  }
  for (const auto& one : waiting)
    one.then();
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

std::shared_ptr<const actors::turn_request>
question_board::place(given_answer& what, const std::string& digest,
                      calls& due) {
  const auto tell = [&](answer_outcome outcome) {
    due.outcomes.emplace_back(std::move(what.then), std::move(outcome));
    return nullptr;
  };
  if (stopping_)
    return tell({.what = kind::stopping});
  // One token may be of several requests, of which some are closed.
  std::set<question_key> all;
  for (const auto& [which, one] : of_token(open_, what.token))
    // Who knows of one that is not listed was told elsewhere.
    if (matches(what.whose, one.asked->session_id, which.second)
        && (!one.is_listed || is_visible(which, one)))
      all.insert(which);
  for (const auto& [which, one] : of_token(logged_, what.token))
    if (matches(what.whose, one.session_id, which.second))
      all.insert(which);
  for (const auto& [which, one] : of_token(closed_.all(), what.token))
    if (matches(what.whose, one.session_id, which.second))
      all.insert(which);
  if (all.empty())
    return tell({.what = kind::unknown});
  if (all.size() > 1)
    return tell({.what = kind::ambiguous});
  const auto& which = *all.begin();
  if (const auto was = closed_.all().find(which);
      was != closed_.all().end() && !open_.contains(which))
    return tell({.what = was->second.answer.empty() ? kind::over
                         : was->second.answer == digest
                           ? kind::duplicate
                           : kind::answered_otherwise,
                 .session_id = was->second.session_id,
                 .participant = which.second,
                 .how = was->second.how});
  const auto at = open_.find(which);
  if (at == open_.end()) {
    auto& early = logged_.at(which).early;
    if (early.size() == early_max)
      return tell({.what = kind::stopping});
    early.push_back(std::move(what));
    return nullptr;
  }
  auto& one = at->second;
  const answer_outcome found{.session_id = one.asked->session_id,
                             .participant = which.second};
  if (one.answer.empty()) {
    if (auto fits = what.check(*one.asked, what.reply); !fits) {
      auto outcome = found;
      outcome.what = kind::refused;
      outcome.why = std::move(fits).error();
      return tell(std::move(outcome));
    }
    one.answer = digest;
    one.is_given = false;
    one.then.push_back(std::move(what.then));
    return one.asked;
  }
  if (one.answer != digest) {
    auto outcome = found;
    outcome.what = kind::answered_otherwise;
    return tell(std::move(outcome));
  }
  one.then.push_back([then = std::move(what.then)](answer_outcome outcome) {
    if (outcome.what == kind::accepted)
      outcome.what = kind::duplicate;
    then(outcome);
  });
  return nullptr;
}

void question_board::answer(given_answer what) {
  const auto digest = digest_of(what.reply);
  calls due;
  std::shared_ptr<const actors::turn_request> asked;
  {
    const std::lock_guard held{mutex_};
    asked = place(what, digest, due);
  }
  if (asked) {
    const bool is_taken = asked->live->answer(std::move(what.reply));
    const std::lock_guard held{mutex_};
    settle(*asked, is_taken, due);
  }
  make(std::move(due));
}

void question_board::settle(const actors::turn_request& asked, bool is_taken,
                            calls& due) {
  const auto at = open_.find({asked.token, asked.participant});
  if (at == open_.end() || at->second.asked.get() != &asked)
    return;
  auto& one = at->second;
  one.is_given = true;
  if (auto as = std::exchange(one.logged_as, std::nullopt)) {
    if (is_taken && !as->answer.empty())
      as->answer = one.answer;
    take(at, *std::move(as), due);
  } else if (!is_taken) {
    take(at, {.session_id = asked.session_id}, due);
  } // else the log will say what became of it
}

} // namespace convene::server
