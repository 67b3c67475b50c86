#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <utility>

namespace convene::server {

/// A request to a person: its token and the participant.
using question_key = std::pair<std::string, std::string>;

/// How a question is over before the log says more.
inline constexpr const char* withdrawn = "withdrawn";

struct closed_question {
  std::string session_id;
  std::string answer = {}; ///< its digest; empty: there was none
  std::string how = withdrawn;
};

/// What became of the latest questions.
class closed_questions {
public:
  void add(const question_key& which, closed_question what) {
    const auto [at, is_new] = all_.try_emplace(which, what);
    if (!is_new) {
      if (what.how != withdrawn)
        at->second = std::move(what);
      return;
    }
    order_.push_back(which);
    if (order_.size() <= kept_max)
      return;
    all_.erase(order_.front());
    order_.pop_front();
  }

  [[nodiscard]] const std::map<question_key, closed_question>&
  all() const noexcept {
    return all_;
  }

  static constexpr std::size_t kept_max = 100'000;

private:
  std::map<question_key, closed_question> all_;
  std::deque<question_key> order_;
};

} // namespace convene::server
