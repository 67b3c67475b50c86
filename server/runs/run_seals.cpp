#include <convene/server/runs/hosted_run.hpp>
#include <convene/server/runs/run_seals.hpp>

#include <utility>

namespace convene::server {

bool run_seals::take(const protocol::uuid& run,
                     const protocol::sealed_text& line,
                     std::string_view event) {
  const auto known = last_.find(run);
  const bool has_beginning = known != last_.end() || !is_trimmed_
                             || is_first_event(event);
  auto follows = protocol::seal_of(known != last_.end() ? known->second : "",
                                   line.text);
  const bool is_right
    = line.seal.empty() ? !has_sealed_ : !has_beginning || line.seal == follows;
  has_sealed_ = has_sealed_ || !line.seal.empty();
  last_[run] = line.seal.empty() ? std::move(follows) : std::string{line.seal};
  return is_right;
}

std::string run_seals::seal(const protocol::uuid& run, std::string_view line) {
  auto& last = last_[run];
  auto sealed = protocol::with_seal(line, last);
  last = protocol::split_seal(sealed).seal;
  return sealed;
}

std::string run_seals::last_of(const protocol::uuid& run) const {
  const auto known = last_.find(run);
  return known == last_.end() ? std::string{} : known->second;
}

void run_seals::restore(const protocol::uuid& run, std::string seal) {
  if (seal.empty())
    last_.erase(run);
  else
    last_[run] = std::move(seal);
}

void run_seals::forget(const protocol::uuid& run) {
  last_.erase(run);
}

} // namespace convene::server
