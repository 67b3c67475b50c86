#include <convene/lab/study/study.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>
#include <convene/runtime/data/scenario/seeded_ids.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

/// With ids of the point's own, whatever ids its documents have: points are
/// kept and exported beside each other.
seeded_scenario of_point(seeded_scenario made, std::uint64_t seed) {
  renumber(made.spec, seeded_ids(seed, session::encode(made.spec)).next().low);
  return made;
}

/// What was kept of a point before the study was stopped.
result<void> remove_kept(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::remove_all(folder, failed);
  if (failed)
    return protocol::fail(
      file_error(errc::io_failed, folder, "cannot be removed", failed, "out"));
  return {};
}

} // namespace

result<void> run_points(const study& what, const std::atomic<bool>& stop,
                        std::vector<point_result>& all) {
  const auto seeds = what.last - what.first + 1;
  std::uint64_t failed_before = 0;
  while (all.size() < what.points.size()) {
    const auto& point = what.points[all.size()];
    const auto before = all.size() * seeds;
    auto one = what.each;
    one.first = what.first;
    one.last = what.last;
    one.threads = what.threads;
    one.scenario = [&](std::uint64_t seed) {
      return what.scenario(point, seed).map([seed](auto&& made) {
        return of_point(std::forward<decltype(made)>(made), seed);
      });
    };
    one.draws = draws_by::task;
    if (!one.out.empty()) {
      one.out /= std::to_string(all.size() + 1);
      if (auto gone = remove_kept(one.out); !gone)
        return gone;
    }
    if (what.on_progress)
      one.on_progress = [&](std::size_t done, std::size_t failed) {
        what.on_progress(before + done, failed_before + failed);
      };
    auto outcomes = simulate(one, stop);
    if (!outcomes)
      return protocol::fail(std::move(outcomes).error());
    // One that was cut short is run again.
    if (outcomes->size() < seeds)
      return {};
    failed_before += static_cast<std::uint64_t>(
      std::ranges::count_if(*outcomes, &seed_outcome::has_failed));
    auto finished = result_of(one, *outcomes);
    if (what.on_point)
      if (auto taken = what.on_point(finished); !taken)
        return taken;
    all.push_back(std::move(finished));
  }
  return {};
}

} // namespace convene::host
