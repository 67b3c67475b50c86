#include <convene/runtime/data/learning/stored_samples.hpp>
#include <convene/runtime/data/state_store/awaited.hpp>
#include <convene/runtime/data/state_store/keys.hpp>

#include <utility>

namespace convene::host {

protocol::result<void> store_samples(state_store& into,
                                     const std::vector<kept_sample>& samples) {
  constexpr std::size_t batch_max = 1'000;
  state_transaction batch;
  std::size_t waiting = 0;
  const auto commit = [&]() -> protocol::result<void> {
    if (std::exchange(waiting, 0) == 0)
      return {};
    return awaited<void>([&](auto then) {
      into.commit(std::exchange(batch, {}), std::move(then));
    });
  };
  for (const auto& each : samples) {
    batch.set(state_key(state_area::learning_samples, each.id), each.line);
    if (++waiting == batch_max)
      if (auto done = commit(); !done)
        return done;
  }
  return commit();
}

} // namespace convene::host
