#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/server/sessions/closed_questions.hpp>

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace convene::server {

/// The questions that the log closes by what they are about: their tokens are
/// not in the events that say so. The latest of them.
class question_subjects {
public:
  /// A session, and what its questions are about.
  using subject = std::pair<std::string, std::string>;

  void add(const subject& about, const question_key& which,
           protocol::timestamp_ms deadline) {
    all_[about].emplace_back(deadline, which);
    order_.push_back(about);
    if (order_.size() <= kept_max)
      return;
    // The later ones of the subject, too: they are about as old.
    all_.erase(order_.front());
    order_.pop_front();
  }

  /// Those of a subject whose time was over by then, which are dropped.
  /// Somebody may have been asked about it again since.
  [[nodiscard]] std::vector<question_key> take(const subject& about,
                                               protocol::timestamp_ms by) {
    std::vector<question_key> taken;
    const auto found = all_.find(about);
    if (found == all_.end())
      return taken;
    std::erase_if(found->second, [&](const auto& each) {
      if (each.first <= by)
        taken.push_back(each.second);
      return each.first <= by;
    });
    if (found->second.empty())
      all_.erase(found);
    return taken;
  }

  static constexpr std::size_t kept_max = 100'000;

private:
  std::map<subject,
           std::vector<std::pair<protocol::timestamp_ms, question_key>>>
    all_;
  std::deque<subject> order_;
};

} // namespace convene::server
