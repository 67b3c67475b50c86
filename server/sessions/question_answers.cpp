#include <boost/json/serialize.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/server/sessions/question_board.hpp>

#include <ranges>
#include <set>
#include <utility>

// What answers do to questions.

namespace convene::server {
namespace {

using kind = answer_outcome::kind;

/// Answers to one request that may wait until somebody is asked.
constexpr std::size_t early_max = 16;

/// Of a map by token and participant, those of this token.
auto of_token(auto& all, const std::string& token) {
  auto end = all.lower_bound({token, ""});
  const auto begin = end;
  while (end != all.end() && end->first.first == token)
    ++end;
  return std::ranges::subrange(begin, end);
}

} // namespace

std::string question_board::digest_of(const protocol::reply& reply) {
  return host::hex_digest_of(boost::json::serialize(protocol::encode(reply)));
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
    if (what.whose.takes(one.asked->session_id, which.second)
        && (!one.is_listed || is_visible(which, one)))
      all.insert(which);
  for (const auto& [which, one] : of_token(logged_, what.token))
    if (what.whose.takes(one.session_id, which.second))
      all.insert(which);
  for (const auto& [which, one] : of_token(closed_.all(), what.token))
    if (what.whose.takes(one.session_id, which.second))
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
