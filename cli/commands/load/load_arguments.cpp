#include <convene/cli/commands/load/load_arguments.hpp>
#include <convene/lab/load/server_target.hpp>

#include <limits>
#include <string>

namespace convene::cli {
namespace {

void add_sessions(const command_line& command, load_arguments& arguments) {
  command.add("PATH", arguments.scenario.path);
  command.add("--mode", arguments.modes);
  command.add("--participants", arguments.shape.participants,
              whole_number(2, host::shape_participants_max));
  command.add("--rounds", arguments.shape.rounds,
              whole_number(1, host::shape_rounds_max));
  command.add("--payload", arguments.shape.payload_bytes,
              whole_number(0, 1'000'000));
  command.add("--writes", arguments.shape.writes);
  command.add("--contention", arguments.shape.contention,
              whole_number(1, host::shape_participants_max));
  command.add("--think", arguments.think);
  command.add("--hanging", arguments.shape.hanging,
              whole_number(0, host::shape_participants_max));
  command.add("--turn-timeout", arguments.turn_timeout);
  const auto trace = command.add("--trace", arguments.trace);
  command.add("--speed", arguments.speed).needs(trace);
  command.add("--stand-in", arguments.stand_ins);
  command.add("--set", arguments.scenario.overrides);
}

void add_level(const command_line& command, load_arguments& arguments) {
  const auto sessions = command.add("--sessions", arguments.sessions);
  const auto rate = command.add("--rate", arguments.rate).excludes(sessions);
  const auto duration = command.add("--duration", arguments.duration);
  command.add("--stages", arguments.stages)
    .excludes(sessions)
    .excludes(rate)
    .excludes(duration);
  command.add("--warm-up", arguments.warm_up);
  command.add("--drain", arguments.drain);
}

void add_place(const command_line& command, load_arguments& arguments) {
  const auto log = command.add("--log", arguments.log);
  command
    .add("--durability", arguments.durability,
         one_of({"none", "group", "strict"}))
    .needs(log);
  const auto url = command.add("--url", arguments.urls).excludes(log);
  command
    .add("--connections", arguments.connections,
         whole_number(1, host::load_connections_max))
    .needs(url);
  command.add("--allow", arguments.allow).needs(url);
  add_key_options(command, arguments.server);
  for (const auto* of_server :
       {"--key-file", "--key-env", "--ca", "--key-in-clear"})
    command[of_server].needs(url);
}

void add_judgement(const command_line& command, load_arguments& arguments) {
  const auto assertion = command.add("--assert", arguments.assertions);
  command.add("--abort-on-fail", arguments.abort_on_fail).needs(assertion);
  add_fail_on(command, arguments.fail_on);
  const auto baseline = command.add("--baseline", arguments.baseline);
  command.add("--tolerance", arguments.tolerance).needs(baseline);
  command.add("--out", arguments.out);
}

} // namespace

void add_arguments(const command_line& command, load_arguments& arguments) {
  add_sessions(command, arguments);
  add_level(command, arguments);
  add_place(command, arguments);
  const auto path = command["PATH"];
  const auto trace = command["--trace"];
  trace.excludes(path);
  for (const auto* other : {"--stand-in", "--set"})
    command[other].needs(path);
  for (const auto* other :
       {"--mode", "--participants", "--rounds", "--payload", "--writes",
        "--contention", "--think", "--hanging", "--turn-timeout"})
    command[other].excludes(path).excludes(trace);
  // A trace says when its sessions start.
  for (const auto* other :
       {"--sessions", "--rate", "--stages", "--duration", "--warm-up"})
    trace.excludes(command[other]);
  add_judgement(command, arguments);
}

} // namespace convene::cli
