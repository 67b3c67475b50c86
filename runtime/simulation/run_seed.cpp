#include <convene/runtime/scenario/latest_time.hpp>
#include <convene/runtime/simulation/run_seed.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace convene::host {

using protocol::errc;
using protocol::fail;
using protocol::result;

runtime_options options_for_seed(const session::spec& what,
                                 std::uint64_t seed) {
  runtime_options how;
  how.threads = 1;
  how.seed = seed;
  how.virtual_start = std::max(how.virtual_start, latest_time(what));
  return how;
}

result<session_result> run_seed(const session::spec& what, std::uint64_t seed,
                                std::size_t bytes_max,
                                const std::atomic<bool>& stop, seed_log& log) {
  bool is_full = false;
  auto opened = convene::runtime::open(options_for_seed(what, seed));
  if (!opened)
    return fail(std::move(opened).error());
  auto& runtime = **opened;
  const auto handle = runtime.start(
    what, {.observer = [&](std::string_view, std::string_view lines) {
      is_full = is_full || lines.size() > bytes_max - log.text.size();
      if (stop || is_full)
        throw std::runtime_error("the seed is given up");
      log.append(lines);
    }});
  auto ended = handle.await();
  static_cast<void>(runtime.close());
  if (!ended && is_full)
    return fail(errc::limit_reached,
                "the session logs more than the "
                  + std::to_string(bytes_max >> 20)
                  + " MiB that a seed may; lower session.max_turns",
                std::string{seed_log_bytes_max});
  if (!ended && stop)
    return fail(errc::not_allowed, "the simulation was interrupted",
                std::string{seed_interrupted});
  return ended;
}

} // namespace convene::host
