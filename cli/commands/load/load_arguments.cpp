#include <convene/cli/commands/load/load_arguments.hpp>
#include <convene/lab/load/server_target.hpp>

#include <limits>
#include <string>

namespace convene::cli {
namespace {

/// An option with a value, for which `form` stands in the help.
CLI::Option* add(CLI::App& command, const char* name, const char* form,
                 auto& into, const char* what) {
  return command.add_option(name, into, what)->option_text(form);
}

/// One that can be given several times.
CLI::Option* add_many(CLI::App& command, const char* name, const char* form,
                      std::vector<std::string>& into, const char* what) {
  return add(command, name, form, into, what)
    ->expected(1)
    ->allow_extra_args(false)
    ->take_all();
}

void add_sessions(CLI::App& command, load_arguments& arguments) {
  add(command, "PATH", " ", arguments.scenario.path,
      "A scenario whose sessions are the load; default: made-up sessions with "
      "simulated participants");
  add(command, "--mode", "M[=N],...", arguments.modes,
      "Modes of made-up sessions, and how often each takes part, as in "
      "round_robin=3,pair. Default round_robin");
  add(command, "--participants", "N", arguments.shape.participants,
      "Who answers in a made-up session; a pair has two. Default 4")
    ->check(whole_number(2, host::shape_participants_max));
  add(command, "--rounds", "N", arguments.shape.rounds,
      "Turns of each of them, or tasks for each. Default 2")
    ->check(whole_number(1, host::shape_rounds_max));
  add(command, "--payload", "BYTES", arguments.shape.payload_bytes,
      "Bytes of what is said, and of what is written. Default 64")
    ->check(whole_number(0, 1'000'000));
  add(command, "--writes", "SHARE", arguments.shape.writes,
      "Share of the turns that write a resource, from 0 to 1. Default 0");
  add(command, "--contention", "N", arguments.shape.contention,
      "How many participants write the same resource. Default 1")
    ->check(whole_number(1, host::shape_participants_max));
  add(command, "--think", "TIME", arguments.think,
      "How long each answer takes: 20ms, uniform:10ms:50ms (from, to) or "
      "lognormal:800ms:6s (median, 99th percentile). Default 0ms");
  add(command, "--hanging", "N", arguments.shape.hanging,
      "Participants of each made-up session who never answer. Default 0")
    ->check(whole_number(0, host::shape_participants_max));
  add(command, "--turn-timeout", "TIME", arguments.turn_timeout,
      "How long a turn of a made-up session may take. Default 30s");
  auto* trace
    = add(command, "--trace", "FILE", arguments.trace,
          "Recorded sessions that are replayed: JSON Lines as docs/load.md has "
          "them, an event log, or files of kv-cache-tester");
  add(command, "--speed", "N", arguments.speed,
      "How many times faster the trace is replayed than it was recorded. "
      "Default 1")
    ->needs(trace);
  add_many(command, "--stand-in", "ID=BEHAVIOUR", arguments.stand_ins,
           "Who answers for a participant of PATH: a behaviour as JSON, or the "
           "name of a type without settings. Needed for all that act outside; "
           "nobody outside is ever called");
  add_many(command, "--set", "KEY=VALUE", arguments.scenario.overrides,
           "Set any member of PATH by its path, as with run");
}

void add_level(CLI::App& command, load_arguments& arguments) {
  auto* sessions = add(command, "--sessions", "N", arguments.sessions,
                       "Closed loop: sessions at a time; one that ends makes "
                       "room for the next. Default 1");
  auto* rate
    = add(command, "--rate", "R", arguments.rate,
          "Open loop: sessions that start each second, whatever becomes of "
          "them, as in 200 or 200/s; or turns each second, as in 5000turns/s")
        ->excludes(sessions);
  auto* duration
    = add(command, "--duration", "TIME", arguments.duration,
          "How long sessions are started, after the warm-up. Default 30s");
  add(command, "--stages", "TIME:LEVEL,...", arguments.stages,
      "Several levels, one after another: 10s:100,20s:500 for sessions at a "
      "time, 10s:100/s for sessions and 10s:900turns/s for turns a second")
    ->excludes(sessions)
    ->excludes(rate)
    ->excludes(duration);
  add(command, "--warm-up", "TIME", arguments.warm_up,
      "For how long nothing is measured at the beginning; the level is that of "
      "the first stage. Default a tenth of the duration, 5s at most");
  add(command, "--drain", "TIME", arguments.drain,
      "How long sessions may go on once no more are started. What has not "
      "ended then counts as unfinished. Default 10s");
}

void add_place(CLI::App& command, load_arguments& arguments) {
  auto* log
    = add(command, "--log", "DIR", arguments.log,
          "Folder for the log of all sessions, new or empty; the oldest of it "
          "is removed beyond 1 GiB. Default: there is no log");
  add(command, "--durability", "LEVEL", arguments.durability,
      "With --log: when an event counts as durable, none, group or strict, as "
      "with run. Default group")
    ->check(one_of({"none", "group", "strict"}))
    ->needs(log);
  auto* url = add(command, "--url", "URL", arguments.url,
                  "A server (convene serve) that runs the sessions, instead of "
                  "this process")
                ->excludes(log);
  add(command, "--connections", "N", arguments.connections,
      "With --url: sessions that are followed at a time. Default 64")
    ->check(whole_number(1, host::load_connections_max))
    ->needs(url);
  add_many(command, "--allow", "WHAT", arguments.allow,
           "With --url, a host other than this machine that may be called: "
           "net=HOST[:PORT]")
    ->needs(url);
  add_key_options(command, arguments.server);
  for (const auto* of_server :
       {"--key-file", "--key-env", "--ca", "--key-in-clear"})
    command.get_option(of_server)->needs(url);
}

void add_judgement(CLI::App& command, load_arguments& arguments) {
  auto* assertion = add_many(
    command, "--assert", "WHAT", arguments.assertions,
    "What shall hold, else the exit code is 1: 'p99<5ms' (sessions, from their "
    "intended start), 'turn.p99.9<1ms', 'errors<1%', 'turns/s>1000'");
  command
    .add_flag(
      "--abort-on-fail", arguments.abort_on_fail,
      "End as soon as an assertion does not hold, once 100 sessions have ended")
    ->needs(assertion);
  auto* baseline = add(command, "--baseline", "FILE", arguments.baseline,
                       "summary.json of an earlier run of the same load; what "
                       "is worse is told, and the exit code is 1");
  add(command, "--tolerance", "PERCENT", arguments.tolerance,
      "By how much a figure may be worse than in the baseline. Default 20%")
    ->needs(baseline);
  add(command, "--out", "DIR", arguments.out,
      "Folder for summary.json, which is what --json prints, its page "
      "report.html, and series.csv, new or empty; default: none");
}

} // namespace

void add_arguments(CLI::App& command, load_arguments& arguments) {
  add_sessions(command, arguments);
  add_level(command, arguments);
  add_place(command, arguments);
  auto* const path = command.get_option("PATH");
  auto* const trace = command.get_option("--trace");
  trace->excludes(path);
  for (const auto* other : {"--stand-in", "--set"})
    command.get_option(other)->needs(path);
  for (const auto* other :
       {"--mode", "--participants", "--rounds", "--payload", "--writes",
        "--contention", "--think", "--hanging", "--turn-timeout"})
    command.get_option(other)->excludes(path)->excludes(trace);
  // A trace says when its sessions start.
  for (const auto* other :
       {"--sessions", "--rate", "--stages", "--duration", "--warm-up"})
    trace->excludes(command.get_option(other));
  add_judgement(command, arguments);
}

} // namespace convene::cli
