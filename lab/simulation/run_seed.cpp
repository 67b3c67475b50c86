#include <convene/lab/simulation/run_seed.hpp>
#include <convene/runtime/data/scenario/latest_time.hpp>
#include <convene/runtime/paired_draws.hpp>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

namespace convene::host {

using namespace protocol;

runtime_options options_for_seed(const session::spec& what,
                                 std::uint64_t seed) {
  runtime_options how;
  how.threads = 1;
  how.seed = seed;
  how.virtual_start = std::max(how.virtual_start, latest_time(what));
  // The files that it names were looked at when it was loaded.
  static_cast<void>(how.allow.allow("read=/"));
  return how;
}

namespace {

error log_is_full(std::size_t bytes_max) {
  return {.code = errc::limit_reached,
          .message = "the session logs more than the "
                     + std::to_string(bytes_max >> 20)
                     + " MiB that a seed may; lower session.max_turns",
          .rule = std::string{seed_log_bytes_max}};
}

error was_interrupted() {
  return {.code = errc::not_allowed,
          .message = "the simulation was interrupted",
          .rule = std::string{seed_interrupted}};
}

} // namespace

result<session_result>
run_seed(const session::spec& what, std::uint64_t seed, std::size_t bytes_max,
         const std::atomic<bool>& stop, seed_log& log, draws_by how) {
  bool is_full = false;
  auto opened = convene::runtime::open(options_for_seed(what, seed));
  if (!opened)
    return fail(std::move(opened).error());
  auto& runtime = **opened;
  std::shared_ptr<actors::task_places> places;
  if (how == draws_by::task) {
    places = std::make_shared<actors::task_places>(what);
    draw_by_task(runtime, places);
  }
  const auto handle = runtime.start(
    what, {.observer = [&](std::string_view, std::string_view lines) {
      is_full = is_full || lines.size() > bytes_max - log.text.size();
      if (stop || is_full)
        throw std::runtime_error("the seed is given up");
      log.append(lines);
      if (places)
        places->observe(lines);
    }});
  auto ended = handle.await();
  static_cast<void>(runtime.close());
  if (!ended && is_full)
    return fail(log_is_full(bytes_max));
  if (!ended && stop)
    return fail(was_interrupted());
  return ended;
}

faulty_run run_faulty_seed(const session::spec& what, std::uint64_t seed,
                           const fault_spec& faults, std::size_t bytes_max,
                           const std::atomic<bool>& stop, seed_log& log) {
  const auto may_log = [&](std::size_t bytes) -> result<void> {
    if (bytes > bytes_max)
      return fail(log_is_full(bytes_max));
    if (stop)
      return fail(was_interrupted());
    return {};
  };
  auto made = run_with_faults(what, options_for_seed(what, seed), faults,
                              may_log);
  log.text = std::move(made.text);
  log.file = std::move(made.file);
  return made;
}

} // namespace convene::host
