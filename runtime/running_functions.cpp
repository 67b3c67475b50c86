#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/running_functions.hpp>

#include <cstddef>
#include <utility>

namespace convene::host {

thread_local const running_functions::call* running_functions::innermost
  = nullptr;

running_functions::call::call(running_functions& among,
                              const actors::turn_request& asked)
  : among_{among}, asked_{asked}, outer_{std::exchange(innermost, this)} {
  const std::lock_guard held{among_.mutex_};
  among_.calls_.push_back(this);
}

running_functions::call::~call() {
  innermost = outer_;
  const std::lock_guard held{among_.mutex_};
  std::erase(among_.calls_, this);
}

bool running_functions::runs_turn_of(std::string_view session_id) {
  for (const auto* at = innermost; at != nullptr; at = at->outer_)
    if (at->asked_.session_id == session_id)
      return true;
  return false;
}

std::string running_functions::names() const {
  constexpr std::size_t named_max = 10;
  const std::lock_guard held{mutex_};
  if (calls_.empty())
    return "participants that are not functions of the application";
  std::string all;
  for (std::size_t i = 0; i < calls_.size() && i < named_max; ++i) {
    const auto& asked = calls_[i]->asked_;
    all += (i == 0 ? "the function of " : ", of ")
           + protocol::shorten(asked.participant) + " in session "
           + asked.session_id;
  }
  if (calls_.size() > named_max)
    all += " and " + std::to_string(calls_.size() - named_max) + " more";
  return all;
}

} // namespace convene::host
