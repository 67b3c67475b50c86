#include <convene/session/orchestration/briefing.hpp>

#include <iterator>
#include <utility>

namespace convene::session {

void briefing::note_closed(participant_index who, std::string_view status,
                           std::string_view content, std::string_view step_id) {
  if (!std::exchange(is_told_, false)) {
    auto& earlier = view_.also_closed;
    if (earlier.size() == decision_view::also_closed_max)
      earlier.erase(earlier.begin());
    earlier.push_back({view_.last_participant, view_.last_status,
                       view_.last_step_id, std::move(view_.last_content)});
  }
  view_.last_participant = who;
  view_.last_status = status;
  view_.last_content.assign(content);
  view_.last_step_id.assign(step_id);
}

decision_view briefing::tell() {
  auto shown = view_;
  view_.refused.clear();
  told_ = std::exchange(view_.also_closed, {});
  is_told_ = true;
  return shown;
}

void briefing::note_decided() noexcept {
  failed_ = 0;
  told_.clear();
}

void briefing::tell_again() {
  auto& told = view_.also_closed;
  told.insert(told.begin(), std::make_move_iterator(told_.begin()),
              std::make_move_iterator(told_.end()));
  told_.clear();
  if (told.size() > decision_view::also_closed_max)
    told.erase(told.begin(), told.end() - decision_view::also_closed_max);
}

bool briefing::note_failed(const std::string& why) {
  tell_again();
  view_.refused = why;
  return ++failed_ < failures_max;
}

} // namespace convene::session
