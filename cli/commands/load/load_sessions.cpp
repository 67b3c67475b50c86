#include <convene/cli/commands/load/load_arguments.hpp>
#include <convene/lab/load/trace.hpp>
#include <convene/lab/load/trace_replay.hpp>
#include <convene/lab/simulation/stand_ins.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/may_start.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace convene::cli {
namespace {

using protocol::errc;
using protocol::fail;
using protocol::result;

result<void> set_shapes(const load_arguments& arguments,
                        host::load_plan& into) {
  const auto modes = host::parse_modes(arguments.modes);
  if (!modes)
    return fail(about_option("--mode", modes.error()));
  auto shape = arguments.shape;
  if (!(shape.writes >= 0 && shape.writes <= 1))
    return fail(errc::usage, "--writes: give a share from 0 to 1", "writes");
  if (static_cast<std::int64_t>(shape.participants) * shape.rounds
      > host::shape_turns_max)
    return fail(errc::limit_reached,
                "--participants times --rounds: a made-up session has at most "
                "10,000 turns",
                "shape_turns_max");
  if (shape.hanging > shape.participants)
    return fail(errc::usage,
                "--hanging: there are only "
                  + std::to_string(shape.participants) + " participants",
                "hanging");
  auto think = host::parse_think(arguments.think);
  if (!think)
    return fail(about_option("--think", think.error()));
  shape.think_ms = *std::move(think);
  if (!arguments.turn_timeout.empty()) {
    const auto limit = time_of_option("--turn-timeout", arguments.turn_timeout);
    if (!limit)
      return fail(limit.error());
    shape.turn_timeout_ms = std::max<std::int64_t>(
      1, std::chrono::duration_cast<std::chrono::milliseconds>(*limit).count());
  }
  for (const auto& share : *modes) {
    shape.mode = share.mode;
    auto kind = host::kind_of(shape);
    if (!kind)
      return fail(std::move(kind).error());
    into.kinds.push_back(*std::move(kind));
  }
  into.cycle = host::cycle_of(*modes);
  return {};
}

result<void> set_scenario(const load_arguments& arguments,
                          host::load_plan& into) {
  auto from = arguments.scenario;
  for (const auto& text : arguments.stand_ins) {
    const auto parsed = host::parse_stand_in(text);
    if (!parsed)
      return fail(parsed.error());
    from.overrides.push_back(host::to_override(*parsed));
  }
  // Of other ids than those of any other load: a server knows these.
  auto made = host::scenario_for_seed(
    from, protocol::uuid_source::from_entropy().next().low);
  if (!made)
    return fail(std::move(made).error());
  auto fits
    = host::check_nobody_outside(made->spec)
        .and_then([&] { return host::allow_all_files(into.runtime.allow); })
        .and_then([&] {
          return host::may_start(made->spec, {.allow = into.runtime.allow});
        });
  if (!fits) {
    if (fits.error().code != errc::usage)
      fits.error().file = from.path;
    return fits;
  }
  into.kinds.push_back(host::kind_of(std::move(made->spec)));
  into.cycle = {0};
  return {};
}

result<void> set_recorded(const load_arguments& arguments,
                          host::load_plan& into) {
  if (!(arguments.speed >= host::trace_speed_min
        && arguments.speed <= host::trace_speed_max))
    return fail(errc::usage, "--speed: give a number from 0.001 to 1000000",
                "speed");
  auto trace = host::read_trace(arguments.trace);
  if (!trace)
    return fail(std::move(trace).error());
  return host::set_trace(*std::move(trace), arguments.speed, into,
                         !arguments.urls.empty());
}

} // namespace

result<void> set_sessions(const load_arguments& arguments,
                          host::load_plan& into) {
  if (!arguments.trace.empty())
    return set_recorded(arguments, into);
  return arguments.scenario.path.empty() ? set_shapes(arguments, into)
                                         : set_scenario(arguments, into);
}

} // namespace convene::cli
