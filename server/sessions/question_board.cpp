#include <boost/json/serialize.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/server/sessions/question_board.hpp>

#include <algorithm>

namespace convene::server {
namespace {

using kind = answer_outcome::kind;

/// How a question is over before the log says more.
constexpr std::string_view withdrawn = "withdrawn";

std::string digest_of(const protocol::reply& reply) {
  return protocol::hex_of(
    protocol::sha256(boost::json::serialize(protocol::encode(reply))));
}

bool matches(const question_filter& whose, const std::string& session_id,
             const std::string& participant) {
  return (whose.session_id.empty() || whose.session_id == session_id)
         && (whose.participant.empty() || whose.participant == participant);
}

} // namespace

bool question_board::is_visible(const question& one) const {
  const auto row = feed_->sessions().find(one.asked->session_id);
  return row && row->events >= one.visible_from;
}

void question_board::ask(actors::turn_request asked) {
  const key which{asked.token, asked.participant};
  const auto live = asked.live;
  std::uint64_t number = 0;
  {
    const std::lock_guard held{mutex_};
    if (stopping_)
      return;
    number = ++last_number_;
    const auto from = appended_(asked.session_id);
    open_[which] = {.asked = std::make_shared<const actors::turn_request>(
                      std::move(asked)),
                    .number = number,
                    .visible_from = from};
  }
  live->when_over([weak = weak_from_this(), which, number] {
    if (const auto self = weak.lock())
      self->withdraw(which, number);
  });
  advance();
}

/// Why it is over, the log will say, if it does.
void question_board::withdraw(const key& which, std::uint64_t number) {
  calls due;
  {
    const std::lock_guard held{mutex_};
    const auto at = open_.find(which);
    // One that was answered waits for what the log says of the answer.
    if (at == open_.end() || at->second.number != number
        || !at->second.answer.empty())
      return;
    due = take(at, {.session_id = at->second.asked->session_id,
                    .how = std::string{withdrawn}});
  }
  for (const auto& call : due.then)
    call(due.outcome);
}

/// Forgets an open question, and says whom to tell what.
question_board::calls question_board::take(std::map<key, question>::iterator at,
                                           closed as) {
  calls due{.then = std::move(at->second.then),
            .outcome = {.what = as.answer.empty() ? kind::over : kind::accepted,
                        .session_id = as.session_id,
                        .participant = at->first.second,
                        .how = as.how}};
  const auto which = at->first;
  open_.erase(at);
  remember(which, std::move(as));
  return due;
}

void question_board::remember(const key& which, closed as) {
  const auto [at, is_new] = closed_.try_emplace(which, as);
  if (!is_new) {
    if (as.how != withdrawn) // which the log says better
      at->second = std::move(as);
    return;
  }
  closed_order_.push_back(which);
  if (closed_order_.size() <= closed_max)
    return;
  closed_.erase(closed_order_.front());
  closed_order_.pop_front();
}

void question_board::close(const closed_request& what) {
  std::vector<calls> due;
  {
    const std::lock_guard held{mutex_};
    if (what.token.empty()) {
      // Not those that were asked since.
      const auto row = feed_->sessions().find(what.session_id);
      const auto until = row ? row->events + 1 : 0;
      for (auto at = open_.begin(); at != open_.end();) {
        const auto one = at++;
        if (one->second.asked->session_id == what.session_id
            && one->second.visible_from <= until)
          due.push_back(
            take(one, {.session_id = what.session_id, .how = what.how}));
      }
    } else {
      const key which{what.token, what.participant};
      closed as{.session_id = what.session_id, .how = what.how};
      const auto at = open_.find(which);
      // As it was given: a log may have it in another form.
      if (what.reply)
        as.answer = at != open_.end() && !at->second.answer.empty()
                      ? at->second.answer
                      : digest_of(*what.reply);
      if (at != open_.end())
        due.push_back(take(at, std::move(as)));
      else
        remember(which, std::move(as));
    }
  }
  for (const auto& each : due)
    for (const auto& call : each.then)
      call(each.outcome);
}

void question_board::advance() {
  std::vector<std::function<void()>> due;
  {
    const std::lock_guard held{mutex_};
    if (waiters_.empty())
      return;
    std::vector<const actors::turn_request*> shown;
    for (const auto& [which, one] : open_)
      if (one.answer.empty() && is_visible(one))
        shown.push_back(one.asked.get());
    const auto rest
      = std::partition(waiters_.begin(), waiters_.end(), [&](const auto& one) {
          return std::ranges::none_of(shown, [&](const auto* asked) {
            return matches(one.whose, asked->session_id, asked->participant);
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
  std::vector<calls> due;
  {
    const std::lock_guard held{mutex_};
    stopping_ = true;
    waiting.swap(waiters_);
    for (auto& [which, one] : open_)
      due.push_back({.then = std::move(one.then),
                     .outcome = {.what = kind::stopping,
                                 .session_id = one.asked->session_id,
                                 .participant = which.second}});
    open_.clear();
  }
  for (const auto& one : waiting)
    one.then();
  for (const auto& each : due)
    for (const auto& call : each.then)
      call(each.outcome);
}

question_board::list question_board::open(const question_filter& whose,
                                          std::size_t limit) const {
  std::vector<std::pair<std::uint64_t, decltype(question::asked)>> found;
  {
    const std::lock_guard held{mutex_};
    for (const auto& [which, one] : open_)
      if (one.answer.empty()
          && matches(whose, one.asked->session_id, which.second)
          && is_visible(one))
        found.emplace_back(one.number, one.asked);
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
  {
    const std::lock_guard held{mutex_};
    if (stopping_)
      return false;
    const auto now = clock::now();
    std::erase_if(waiters_,
                  [now](const waiter& one) { return one.expires < now; });
    const bool asked = std::ranges::any_of(open_, [&](const auto& each) {
      const auto& one = each.second;
      return one.answer.empty()
             && matches(whose, one.asked->session_id, each.first.second)
             && is_visible(one);
    });
    if (asked)
      return false;
    waiters_.push_back({whose, std::move(then), expires});
  }
  return true;
}

std::vector<std::shared_ptr<const actors::turn_request>>
question_board::find(const std::string& token,
                     const question_filter& whose) const {
  std::vector<std::shared_ptr<const actors::turn_request>> found;
  const std::lock_guard held{mutex_};
  for (auto at = open_.lower_bound({token, ""});
       at != open_.end() && at->first.first == token; ++at)
    if (matches(whose, at->second.asked->session_id, at->first.second)
        && is_visible(at->second))
      found.push_back(at->second.asked);
  return found;
}

void question_board::answer(const std::string& token,
                            const question_filter& whose, protocol::reply reply,
                            std::function<void(answer_outcome)> then) {
  const auto digest = digest_of(reply);
  std::shared_ptr<const actors::turn_request> asked;
  answer_outcome known;
  {
    const std::lock_guard held{mutex_};
    auto at = open_.lower_bound({token, ""});
    while (at != open_.end() && at->first.first == token
           && !(matches(whose, at->second.asked->session_id, at->first.second)
                && is_visible(at->second)))
      ++at;
    if (at != open_.end() && at->first.first == token) {
      auto& one = at->second;
      if (one.answer.empty()) {
        one.answer = digest;
        one.then.push_back(std::move(then));
        asked = one.asked;
      } else if (one.answer == digest) {
        one.then.push_back([then = std::move(then)](answer_outcome outcome) {
          if (outcome.what == kind::accepted)
            outcome.what = kind::duplicate;
          then(std::move(outcome));
        });
        return;
      } else {
        known = {.what = kind::answered_otherwise,
                 .session_id = one.asked->session_id,
                 .participant = at->first.second};
      }
    } else {
      if (stopping_)
        known.what = kind::stopping;
      for (auto was = closed_.lower_bound({token, ""});
           was != closed_.end() && was->first.first == token; ++was) {
        const auto& [session_id, answer, how] = was->second;
        if (!matches(whose, session_id, was->first.second))
          continue;
        known = {.what = answer.empty()     ? kind::over
                         : answer == digest ? kind::duplicate
                                            : kind::answered_otherwise,
                 .session_id = session_id,
                 .participant = was->first.second,
                 .how = how};
        break;
      }
    }
  }
  if (!asked)
    return then(std::move(known));
  if (asked->live->answer(std::move(reply)))
    return; // the log will say
  // It was over before, or is being answered by nobody we know.
  calls due;
  {
    const std::lock_guard held{mutex_};
    const auto at = open_.find({asked->token, asked->participant});
    if (at == open_.end() || at->second.asked != asked)
      return; // whoever closed it has told
    due = take(at, {.session_id = asked->session_id,
                    .how = std::string{withdrawn}});
  }
  for (const auto& call : due.then)
    call(due.outcome);
}

} // namespace convene::server
