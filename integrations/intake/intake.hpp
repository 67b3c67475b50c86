#pragma once

#include <convene/integrations/intake/incoming.hpp>

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <vector>

namespace convene::host {

struct intake_limits {
  std::size_t events = 10'000;   ///< that wait, in all
  std::size_t of_source = 5'000; ///< of these, from one source
  std::size_t known = 100'000;   ///< keys that are remembered
};

/// What became of an event that was offered.
enum class intake_verdict : std::uint8_t {
  queued,
  coalesced, ///< with an older one of the same file, which it replaces
  duplicate, ///< it is there, or was written before
  outdated,  ///< a newer one of the same file is
  full,      ///< to be offered again once something was taken
};

struct intake_counts {
  std::uint64_t queued = 0;
  std::uint64_t coalesced = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t outdated = 0;
  std::uint64_t held_back = 0; ///< how often it was full
};

/// Events that wait to be written: bounded, each once, of each file the newest.
/// In which order they are offered makes no difference to what is known of
/// files in the end, nor to which other events there are.
class integration_intake {
public:
  explicit integration_intake(const intake_limits& limits = {})
    : limits_{limits} {}

  /// `now` bounds times: what says it is from the future is from now.
  intake_verdict offer(incoming what, protocol::timestamp_ms now);

  /// What was written before, in its order.
  void restore(const incoming& what, protocol::timestamp_ms now);

  /// The oldest events, by the times that they state, as far as they wait.
  [[nodiscard]] std::vector<incoming> take(std::size_t most);

  [[nodiscard]] std::size_t size() const noexcept {
    return waiting_.size();
  }
  [[nodiscard]] const intake_counts& counts() const noexcept {
    return counts_;
  }

private:
  intake_verdict judge(incoming& what, protocol::timestamp_ms now);
  void remember(const incoming& what);
  void release(const std::string& source);

  intake_limits limits_;
  intake_counts counts_;
  std::map<std::string, incoming, std::less<>> waiting_; ///< by key
  std::map<std::string, std::size_t, std::less<>> of_source_;
  struct known_event {
    protocol::timestamp_ms at = 0; ///< of a file; 0 for others
    std::list<const std::string*>::iterator place;
  };
  std::map<std::string, known_event, std::less<>> known_; ///< what was taken
  std::list<const std::string*> known_order_; ///< its keys, the latest last
};

} // namespace convene::host
