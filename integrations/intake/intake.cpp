#include <boost/json/serialize.hpp>
#include <convene/integrations/intake/intake.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {
namespace {

bool is_file(const incoming& what) {
  return what.kind == incoming_kind::file_update;
}

} // namespace

intake_verdict integration_intake::offer(incoming what,
                                         protocol::timestamp_ms now) {
  const auto verdict = judge(what, now);
  switch (verdict) {
    case intake_verdict::queued:
      ++counts_.queued;
      break;
    case intake_verdict::coalesced:
      ++counts_.coalesced;
      break;
    case intake_verdict::duplicate:
      ++counts_.duplicates;
      break;
    case intake_verdict::outdated:
      ++counts_.outdated;
      break;
    case intake_verdict::full:
      ++counts_.held_back;
      break;
  }
  return verdict;
}

intake_verdict integration_intake::judge(incoming& what,
                                         protocol::timestamp_ms now) {
  what.at = std::min(what.at, now);
  if (const auto known = known_.find(what.key); known != known_.end()) {
    if (!is_file(what) || known->second.at == what.at)
      return intake_verdict::duplicate;
    if (known->second.at > what.at)
      return intake_verdict::outdated;
  }
  if (const auto found = waiting_.find(what.key); found != waiting_.end()) {
    auto& there = found->second;
    if (!is_file(what))
      return intake_verdict::duplicate;
    if (there.at > what.at)
      return intake_verdict::outdated;
    if (there.at == what.at)
      return intake_verdict::duplicate;
    release(there.source);
    ++of_source_[what.source];
    there = std::move(what);
    return intake_verdict::coalesced;
  }
  auto& of_source = of_source_[what.source];
  if (waiting_.size() >= limits_.events || of_source >= limits_.of_source) {
    if (of_source == 0)
      of_source_.erase(what.source);
    return intake_verdict::full;
  }
  ++of_source;
  auto key = what.key;
  waiting_.emplace(std::move(key), std::move(what));
  return intake_verdict::queued;
}

void integration_intake::restore(const incoming& what,
                                 protocol::timestamp_ms now) {
  auto then = what;
  then.at = std::min(then.at, now);
  remember(then);
}

void integration_intake::remember(const incoming& what) {
  const auto at = is_file(what) ? what.at : 0;
  const auto [found, is_new] = known_.try_emplace(what.key);
  auto& known = found->second;
  known.at = std::max(known.at, at);
  if (!is_new) {
    known_order_.splice(known_order_.end(), known_order_, known.place);
    return;
  }
  known.place = known_order_.insert(known_order_.end(), &found->first);
  if (known_order_.size() > limits_.known) {
    known_.erase(known_.find(*known_order_.front()));
    known_order_.pop_front();
  }
}

void integration_intake::release(const std::string& source) {
  if (const auto of = of_source_.find(source); --of->second == 0)
    of_source_.erase(of);
}

std::vector<incoming> integration_intake::take(std::size_t most) {
  std::vector<const std::string*> keys;
  keys.reserve(waiting_.size());
  for (const auto& [key, what] : waiting_)
    keys.push_back(&key);
  std::ranges::sort(keys, [&](const auto* one, const auto* other) {
    const auto at = [&](const auto* key) {
      return waiting_.find(*key)->second.at;
    };
    return std::pair{at(one), *one} < std::pair{at(other), *other};
  });
  keys.resize(std::min(most, keys.size()));
  std::vector<incoming> taken;
  for (const auto* key : keys) {
    auto node = waiting_.extract(*key);
    release(node.mapped().source);
    remember(node.mapped());
    taken.push_back(std::move(node.mapped()));
  }
  return taken;
}

} // namespace convene::host
