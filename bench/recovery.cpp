// What it costs to go on with unfinished sessions: opening a log that holds
// them, against simdjson's own parse of the same lines, both from the page
// cache, in turns; medians. docs/performance.md has the figures.
//
// Then one long session, with and without a snapshot of what it was shortly
// before its end, and what the snapshot costs to make.
//
//   recovery FOLDER [SESSIONS] [TURNS] [ROUNDS] [LONG_TURNS]

#include "baseline/figures.hpp"
#include "baseline/parse_lines.hpp"

#include <convene/convene.hpp>
#include <convene/modes/catalog.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/event_log/segments.hpp>
#include <convene/runtime/log/event_log/writer.hpp>
#include <convene/runtime/log/recovery/log_replay.hpp>
#include <convene/session/machine/machine.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace convene;
using bench::median;
using bench::seconds;
using clock_type = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr std::size_t people = 8;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "recovery: %s\n", why.c_str());
  std::exit(1);
}

template <class T>
T must(protocol::result<T> got) {
  if (!got)
    give_up(to_string(got.error()));
  if constexpr (!std::is_void_v<T>)
    return *std::move(got);
}

reply short_answer(const turn_request&) {
  return {.content = "looks good"};
}

std::string name_of(std::size_t i) {
  return "agent-" + std::to_string(i);
}

/// A session that took so many turns and was suspended then: nobody acts in it
/// while its recovery is timed. `between` is called before each turn.
std::string append_session(
  host::event_log_writer& log, protocol::uuid_source& ids, std::uint64_t turns,
  const std::function<void(std::uint64_t, const std::string&)>& between = {}) {
  session_setup setup{.title = "bench",
                      .mode = mode::round_robin,
                      .task = "review the change"};
  setup.options.max_turns = 1'000'000'000;
  setup.options.rounds = 1'000'000;
  for (std::size_t i = 0; i < people; ++i)
    setup.participants.push_back(quick_agent(name_of(i), "role", short_answer));
  std::int64_t now = 1'700'000'000'000;
  auto machine = must(session::machine::activate(
    make_spec(setup, ids, now), *modes::find("round_robin"), ids.next()));
  const auto id = machine->spec().collab.collab_id;
  session::effects out;
  machine->feed({now, session::start{}}, out);
  for (std::uint64_t turn = 0; turn < turns; ++turn) {
    must(log.append(out.events.view()));
    if (between)
      between(turn, id);
    const auto asked = std::move(out.deliveries.front());
    out.clear();
    machine->feed({++now, session::answer{.from = asked.to,
                                          .token = asked.what.token,
                                          .reply = short_answer({})}},
                  out);
  }
  machine->feed({++now, session::suspend{"for the night"}}, out);
  must(log.append(out.events.view()));
  return id;
}

void replay(const fs::path& path) {
  host::log_replay again;
  static_cast<void>(must(host::visit_log(path, [&](const host::log_place& place,
                                                   std::string_view text) {
    again.feed(place, text);
  })));
  for (const auto& one : again.finish())
    if (one.divergence)
      give_up(one.divergence->message);
}

/// Opens the log as `convene resume` does, and leaves it as it was.
void recover(const fs::path& path, std::size_t sessions, double& took,
             std::uint64_t snapshots = 0) {
  recovery_options with;
  for (std::size_t i = 0; i < people; ++i)
    with.functions.emplace(name_of(i),
                           quick_agent(name_of(i), "role", short_answer));
  const auto begin = clock_type::now();
  auto opened
    = must(runtime::open({.log = path, .snapshot_events = snapshots}, with));
  took = std::chrono::duration<double>(clock_type::now() - begin).count();
  if (opened->recovered().sessions.size() != sessions)
    give_up("not all sessions were recovered");
}

/// Saves the session as its log has it, and says how long that takes and how
/// large it is.
void save(const fs::path& log, const std::string& id) {
  std::size_t bytes = 0;
  double replayed = 0;
  const auto took = seconds([&] {
    host::log_session found;
    replayed = seconds(
      [&] { found = must(host::replay_session(log, id, std::nullopt)); });
    bytes = must(host::write_snapshot(
      log, {.session_id = id,
            .events = found.session.events,
            .segment = found.segment,
            .line = found.line,
            .last_digest = host::hex_digest_of(found.last_event),
            .started = std::move(found.started),
            .state = must(found.session.standing->save())}));
  });
  std::printf("a snapshot of it   %8.1f MB, saved in %.3f s\n",
              static_cast<double>(bytes) / 1e6, took - replayed);
}

/// One long session, saved `turns_after` turns before its end.
void recover_long(const fs::path& folder, std::uint64_t turns,
                  std::uint64_t rounds) {
  constexpr std::uint64_t turns_after = 5'000;
  turns = std::max(turns, turns_after);
  const auto path = folder / "long.jsonl";
  fs::remove(path);
  {
    const auto log = must(host::event_log_writer::open(path));
    protocol::uuid_source ids{2};
    append_session(*log, ids, turns,
                   [&](std::uint64_t turn, const std::string& id) {
                     if (turn + turns_after != turns)
                       return;
                     must(log->flush());
                     save(path, id);
                   });
    must(log->close());
  }
  std::vector<double> without;
  std::vector<double> with;
  std::vector<double> parse;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    parse.push_back(seconds([&] { must(bench::parse_lines(path)); }));
    // Closing the runtime writes on the log, and the session's end takes its
    // snapshot: copies each time.
    const auto copy = folder / "copy.jsonl";
    fs::copy_file(path, copy, fs::copy_options::overwrite_existing);
    recover(copy, 1, without.emplace_back());
    fs::copy_file(path, copy, fs::copy_options::overwrite_existing);
    fs::copy(folder / "long.snapshots", folder / "copy.snapshots",
             fs::copy_options::recursive
               | fs::copy_options::overwrite_existing);
    recover(copy, 1, with.emplace_back(), 1'000'000'000);
    fs::remove(copy);
    fs::remove_all(folder / "copy.snapshots");
  }
  std::printf("one session of %llu turns, %.0f MB: opened in %.3f s, with the "
              "snapshot in %.3f s, %.2f of simdjson\n",
              static_cast<unsigned long long>(turns),
              static_cast<double>(fs::file_size(path)) / 1e6, median(without),
              median(with), median(parse) / median(with));
  fs::remove(path);
  fs::remove_all(folder / "long.snapshots");
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: recovery FOLDER [SESSIONS] [TURNS] [ROUNDS] "
                         "[LONG_TURNS]\n");
    return 2;
  }
  const fs::path folder{argv[1]};
  const auto sessions = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000;
  const auto turns = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 100;
  const auto rounds = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 5;
  const auto whole = folder / "whole.jsonl";
  const auto path = folder / "events.jsonl";
  fs::remove(whole);
  {
    const auto log = must(host::event_log_writer::open(whole));
    protocol::uuid_source ids{1};
    for (std::uint64_t i = 0; i < sessions; ++i)
      append_session(*log, ids, turns);
    must(log->close());
  }
  const auto size = static_cast<double>(fs::file_size(whole)) / 1e6;
  std::vector<double> parse;
  std::vector<double> machines;
  std::vector<double> all;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    parse.push_back(seconds([&] { must(bench::parse_lines(whole)); }));
    machines.push_back(seconds([&] { replay(whole); }));
    // Closing the runtime writes on the log: a copy each time.
    fs::copy_file(whole, path, fs::copy_options::overwrite_existing);
    recover(path, sessions, all.emplace_back());
  }
  std::printf("%.0f MB, %llu sessions of %llu turns\n", size,
              static_cast<unsigned long long>(sessions),
              static_cast<unsigned long long>(turns));
  std::printf("simdjson alone     %8.0f MB/s\n", size / median(parse));
  std::printf("replaying          %8.0f MB/s, %.2f of simdjson\n",
              size / median(machines), median(parse) / median(machines));
  std::printf("opening            %8.0f MB/s, %.2f of simdjson, %.3f s\n",
              size / median(all), median(parse) / median(all), median(all));
  fs::remove(whole);
  fs::remove(path);
  recover_long(folder, argc > 5 ? std::strtoull(argv[5], nullptr, 10) : 200'000,
               rounds);
  return 0;
}
