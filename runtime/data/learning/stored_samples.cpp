#include <convene/runtime/data/learning/stored_samples.hpp>
#include <convene/runtime/data/state_store/keys.hpp>
#include <convene/runtime/data/state_store/lasting.hpp>

#include <utility>

namespace convene::host {

protocol::result<void> store_samples(state_store& into,
                                     const std::vector<kept_sample>& samples) {
  constexpr std::size_t batch_max = 1'000;
  std::vector<lasting_entry> batch;
  for (const auto& each : samples) {
    batch.push_back({.key = state_key(state_area::learning_samples, each.id),
                     .value = each.line});
    if (batch.size() == batch_max)
      if (auto done = put_lasting(into, std::exchange(batch, {})); !done)
        return done;
  }
  return put_lasting(into, std::move(batch));
}

} // namespace convene::host
