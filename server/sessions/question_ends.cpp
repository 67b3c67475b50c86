#include <convene/server/sessions/question_board.hpp>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

// How questions end: by what the log says, or with their turns.

namespace convene::server {

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
  using kind = answer_outcome::kind;
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

/// But for those that the log has closed by their tokens.
void question_board::close_subject(const request_change& what, calls& due) {
  for (const auto& which :
       subjects_.take({what.session_id, what.subject}, what.at)) {
    const auto was = closed_.all().find(which);
    if (was == closed_.all().end() || was->second.how == withdrawn)
      close(which, {.session_id = what.session_id, .how = what.how}, nullptr,
            due);
  }
}

/// For all who were asked.
void question_board::close_token(const request_change& what, calls& due) {
  std::set<question_key> all;
  for (const auto& [which, one] : open_)
    if (which.first == what.token)
      all.insert(which);
  for (const auto& [which, one] : logged_)
    if (which.first == what.token)
      all.insert(which);
  for (const auto& which : all)
    close(which, {.session_id = what.session_id, .how = what.how},
          what.reply ? &*what.reply : nullptr, due);
}

void question_board::note(const request_change& what) {
  calls due;
  {
    const std::lock_guard held{mutex_};
    if (what.opens && !stopping_)
      for (const auto& who : what.participants)
        logged_[{what.token, who}].session_id = what.session_id;
    else if (!what.subject.empty())
      close_subject(what, due);
    else if (what.token.empty())
      close_session(what, due);
    else if (what.participants.empty())
      close_token(what, due);
    else
      for (const auto& who : what.participants)
        close({what.token, who},
              {.session_id = what.session_id, .how = what.how},
              what.reply ? &*what.reply : nullptr, due);
  }
  make(std::move(due));
}

} // namespace convene::server
