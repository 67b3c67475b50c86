#include <convene/runtime/log/digest/digest.hpp>
#include <convene/server/http/kept_answers.hpp>

#include <utility>

namespace convene::server {
namespace {

bool is_kept(const response& answer, error_form form) {
  // OpenWOP wants what fails to be kept; elsewhere it can be tried again.
  const bool may_pass = answer.status == 429 || answer.status >= 500;
  return answer.is_of_key && answer.stream == nullptr && answer.status != 400
         && answer.status != 401 && answer.status != 403
         && (form == error_form::openwop || !may_pass);
}

std::size_t size_of(const std::string& key, const response& answer) {
  std::size_t bytes = 2 * key.size() + answer.body.size() + sizeof(response);
  for (const auto& [name, value] : answer.headers)
    bytes += name.size() + value.size();
  return bytes;
}

} // namespace

void kept_answers::forget_oldest() {
  const auto found = entries_.find(answered_.front().second);
  answered_.pop_front();
  bytes_ -= found->second.bytes;
  entries_.erase(found);
}

kept_answers::state kept_answers::begin(const std::string& key,
                                        std::string_view content, time now) {
  const auto digest = host::digest_of(content);
  const std::scoped_lock lock{mutex_};
  while (!answered_.empty() && now - answered_.front().first >= limits_.kept)
    forget_oldest();
  const auto found = entries_.find(key);
  if (found == entries_.end()) {
    if (entries_.size() - answered_.size() >= limits_.answers_max)
      return too_many{};
    entries_[key].content = digest;
    return carry_out{};
  }
  if (found->second.content != digest)
    return other_request{};
  if (!found->second.is_answered)
    return in_flight{};
  return found->second.answer;
}

void kept_answers::end(const std::string& key, const response& answer, time now,
                       error_form form) {
  const std::scoped_lock lock{mutex_};
  const auto found = entries_.find(key);
  if (found == entries_.end())
    return;
  auto& mine = found->second;
  mine.bytes = size_of(key, answer);
  if (!is_kept(answer, form) || mine.bytes > limits_.bytes_max) {
    entries_.erase(found);
    return;
  }
  mine.answer = answer;
  mine.is_answered = true;
  bytes_ += mine.bytes;
  answered_.emplace_back(now, key);
  while (answered_.size() > limits_.answers_max || bytes_ > limits_.bytes_max)
    forget_oldest();
}

} // namespace convene::server
