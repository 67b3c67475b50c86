#include <convene/runtime/outside/http/call_pace.hpp>

#include <algorithm>

namespace convene::host {
namespace {

constexpr std::int64_t minute_ms = 60'000;

/// What a call counts for at most, whatever its provider says: more than any
/// limit, and few enough to add up those of a minute.
constexpr std::int64_t call_tokens_max = 2'000'000'000'000;

} // namespace

void call_pace::forget(std::int64_t now) {
  while (!latest_.empty() && latest_.front().at + minute_ms <= now) {
    tokens_ -= latest_.front().tokens;
    latest_.pop_front();
    ++first_;
  }
}

std::int64_t call_pace::wait_ms(std::int64_t now, std::int64_t tokens) {
  forget(now);
  if (open_ >= limits_.calls)
    return until_end;
  auto until = std::max(now, paused_until_);
  const auto calls = static_cast<std::int64_t>(latest_.size());
  if (limits_.calls_per_minute > 0 && calls >= limits_.calls_per_minute) {
    const auto& leaves
      = latest_[static_cast<std::size_t>(calls - limits_.calls_per_minute)];
    until = std::max(until, leaves.at + minute_ms);
  }
  if (limits_.tokens_per_minute > 0) {
    // One that is larger than the limit goes alone.
    auto used = tokens_;
    for (const auto& each : latest_) {
      if (used + tokens <= limits_.tokens_per_minute)
        break;
      used -= each.tokens;
      until = std::max(until, each.at + minute_ms);
    }
  }
  return until - now;
}

std::uint64_t call_pace::begin(std::int64_t now, std::int64_t tokens) {
  forget(now);
  ++open_;
  const auto number = first_ + latest_.size();
  if (limits_.calls_per_minute > 0 || limits_.tokens_per_minute > 0) {
    latest_.push_back({now, tokens});
    tokens_ += tokens;
  }
  return number;
}

void call_pace::end(std::uint64_t call, std::int64_t tokens) {
  --open_;
  if (tokens < 0 || call < first_ || call - first_ >= latest_.size())
    return;
  tokens = std::min(tokens, call_tokens_max);
  auto& of = latest_[call - first_];
  tokens_ += tokens - of.tokens;
  of.tokens = tokens;
}

void call_pace::pause(std::int64_t now, std::int64_t for_ms) {
  paused_until_ = std::max(paused_until_, now + for_ms);
}

} // namespace convene::host
