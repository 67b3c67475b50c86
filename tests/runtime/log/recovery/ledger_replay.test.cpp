#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <convene/protocol/documents/trace_ids.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/runtime/log/event_log/writer.hpp>
#include <convene/runtime/log/recovery/ledger_replay.hpp>
#include <convene/runtime/log/recovery/log_replay.hpp>
#include <runtime/log/event_log/files.hpp>
#include <support/random_session.hpp>

#include <map>
#include <stdexcept>

using namespace convene;
using namespace convene::host;
using namespace convene::tests;

namespace {

using texts = std::vector<std::string>;

std::string with_id(std::string line, const std::string& from,
                    const std::string& to) {
  for (auto at = line.find(from); at != line.npos; at = line.find(from, at + 1))
    line.replace(at, from.size(), to);
  return line;
}

/// The first events of a random session, up to where an input's are all there;
/// all of them where it is to have ended.
texts some_events(const session::routing_policy& policy, std::uint32_t seed,
                  bool ended) {
  auto lines = test::run_random_session(policy, seed).lines;
  const auto id = std::string{head_of(lines[0]).session_id};
  const auto other = to_string(protocol::derive_uuid({1, 2}, 3, seed));
  const auto trace_of = [](const std::string& of) {
    return to_string(protocol::trace_ids{of}.trace());
  };
  for (auto& line : lines)
    line = with_id(with_id(line, trace_of(id), trace_of(other)), id, other);
  if (ended)
    return lines;
  session::replayer whole{modes::find};
  std::size_t complete = 0;
  for (std::size_t i = 0; i < lines.size() * 2 / 3 || complete == 0; ++i) {
    if (i == lines.size())
      return some_events(policy, seed + 1'000, ended);
    REQUIRE_FALSE(whole.feed(i + 1, lines[i]));
    if (!whole.finish() && !whole.session()->ended())
      complete = i + 1;
  }
  lines.resize(complete);
  return lines;
}

/// Writes the sessions' events to a log of several segments, one of each in its
/// turn, and opens it.
log_ledger write_and_read(const std::filesystem::path& log,
                          std::vector<texts> sessions) {
  log_options how;
  how.segment_bytes = 20'000;
  how.existing = existing_log::append;
  {
    std::filesystem::create_directories(log);
    const auto opened = event_log_writer::open(log, how);
    if (!opened)
      FAIL(to_string(opened.error()));
    const auto& writer = *opened;
    std::size_t lines = 0;
    for (std::size_t i = 0; !sessions.empty(); ++i)
      std::erase_if(sessions, [&](const texts& left) {
        if (i < left.size())
          REQUIRE(writer->append(left[i] + '\n'));
        if (++lines % 50 == 0) // a segment ends where a group does
          REQUIRE(writer->flush());
        return i >= left.size();
      });
    REQUIRE(writer->close());
  }
  log_ledger found;
  REQUIRE(event_log_writer::open(log, how, [&](const auto& place, auto line) {
    found.feed(place, line);
  }));
  return found;
}

/// Unfinished sessions of every mode, and ended ones among them.
std::vector<texts> many_sessions() {
  std::vector<texts> all;
  std::uint32_t seed = 0;
  for (const auto* policy : modes::catalog())
    for (int i = 0; i < 6; ++i)
      all.push_back(some_events(*policy, ++seed, i % 3 == 2));
  return all;
}

std::vector<const logged_session*> wanted_of(const log_ledger& found) {
  std::vector<const logged_session*> wanted;
  for (const auto& session : found.sessions())
    if (session.is_wanted)
      wanted.push_back(&session);
  return wanted;
}

std::string saved(const session::replayer& of) {
  return protocol::json::serialize(of.save().value());
}

/// What replaying these events leaves.
std::string state_after(const texts& events) {
  session::replayer whole{modes::find};
  for (std::size_t i = 0; i < events.size(); ++i)
    REQUIRE_FALSE(whole.feed(i + 1, events[i]));
  return saved(whole);
}

session_snapshot snapshot_after(const texts& events, std::size_t count) {
  session::replayer whole{modes::find};
  std::size_t complete = 0;
  session_snapshot made;
  for (std::size_t i = 0; i < count || complete == 0; ++i) {
    REQUIRE_FALSE(whole.feed(i + 1, events[i]));
    if (whole.finish())
      continue;
    complete = i + 1;
    made = {.session_id = std::string{head_of(events[0]).session_id},
            .events = complete,
            .last_digest = hex_digest_of(events[i]),
            .started = events[0],
            .state = whole.save().value()};
  }
  return made;
}

} // namespace

TEST_CASE(
  "unfinished sessions are replayed out of a log that they share, on any "
  "number of threads") {
  const scratch_folder folder;
  const auto all = many_sessions();
  std::map<std::string, texts> events;
  for (const auto& one : all)
    events[std::string{head_of(one[0]).session_id}] = one;
  const auto found = write_and_read(folder / "log", all);
  CHECK(found.files().size() > 3);
  const auto wanted = wanted_of(found);
  CHECK(found.sessions().size() == all.size());
  REQUIRE(wanted.size() == all.size() * 2 / 3);
  for (const std::size_t threads : {1, 4}) {
    std::vector<texts> shown(wanted.size());
    auto made = replay_sessions(
      found, wanted,
      {.show = [&](std::size_t i,
                   std::string_view line) { shown[i].emplace_back(line); },
       .threads = threads});
    REQUIRE(made);
    REQUIRE(made->size() == wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto& one = (*made)[i];
      const auto& expected = events.at(wanted[i]->id);
      CHECK(one.id == wanted[i]->id);
      CHECK(one.events == expected.size());
      CHECK_FALSE(one.divergence);
      CHECK_FALSE(one.ended);
      REQUIRE(one.standing);
      CHECK(saved(*one.standing) == state_after(expected));
      CHECK(shown[i] == expected);
    }
  }
}

TEST_CASE(
  "a session goes on from its snapshot, or from its beginning where that "
  "is of no use") {
  const scratch_folder folder;
  texts events;
  for (std::uint32_t seed = 1; seed <= 100 && events.size() <= 20; ++seed)
    events = some_events(*modes::find("round_robin"), seed, false);
  REQUIRE(events.size() > 20);
  const auto found = write_and_read(folder / "log", {events});
  auto snapshot = snapshot_after(events, events.size() / 2);
  const auto replayed = [&] {
    texts shown;
    auto made = replay_sessions(
      found, wanted_of(found),
      {.snapshot = [&](const std::string&) { return snapshot; },
       .show = [&](std::size_t,
                   std::string_view line) { shown.emplace_back(line); }});
    CHECK(shown == events);
    REQUIRE(made);
    REQUIRE((*made)[0].standing);
    CHECK((*made)[0].events == events.size());
    CHECK(saved(*(*made)[0].standing) == state_after(events));
    return std::pair{(*made)[0].covered, (*made)[0].bad_snapshot};
  };
  CHECK(replayed() == std::pair{snapshot.events, std::string{}});
  const auto good = snapshot;
  snapshot.started += ' ';
  CHECK(replayed()
        == std::pair{std::uint64_t{0},
                     std::string{"the session began in another way"}});
  snapshot = good;
  snapshot.last_digest[0] = snapshot.last_digest[0] == '0' ? '1' : '0';
  CHECK(replayed()
        == std::pair{std::uint64_t{0},
                     std::string{"its last event is not the log's"}});
  snapshot.events = events.size() + 1;
  CHECK(replayed()
        == std::pair{std::uint64_t{0}, std::string{"it is ahead of the log"}});
  snapshot = good;
  snapshot.events = 0;
  CHECK(replayed()
        == std::pair{std::uint64_t{0}, std::string{"it covers nothing"}});
  snapshot.events = 1;
  snapshot.last_digest = hex_digest_of(events[0]);
  snapshot.started += ' ';
  CHECK(replayed()
        == std::pair{std::uint64_t{0},
                     std::string{"the session began in another way"}});
}

TEST_CASE("whoever throws while sessions are replayed is told of, not lost") {
  const scratch_folder folder;
  const auto found = write_and_read(folder / "log", many_sessions());
  for (const std::size_t threads : {1, 4}) {
    const auto made
      = replay_sessions(found, wanted_of(found),
                        {.show =
                           [](std::size_t index, std::string_view) {
                             if (index == 7)
                               throw std::runtime_error("no more");
                           },
                         .threads = threads});
    REQUIRE_FALSE(made);
    CHECK(made.error().code == protocol::errc::internal);
    CHECK(made.error().message.find("no more") != std::string::npos);
  }
}

TEST_CASE("what is gone from the log is an error of all") {
  const scratch_folder folder;
  const auto found = write_and_read(folder / "log", many_sessions());
  std::filesystem::remove(found.files()[1]);
  const auto made = replay_sessions(found, wanted_of(found), {.threads = 4});
  REQUIRE_FALSE(made);
  CHECK(made.error().code == protocol::errc::unreadable);
}

TEST_CASE("the head of no line that a session machine writes needs its JSON") {
  for (const auto& session : many_sessions())
    for (const auto& line : session) {
      CAPTURE(line);
      const auto head = head_of(line);
      CHECK(head.parsed == nullptr);
      CHECK_FALSE(head.event_type.empty());
      CHECK(head.session_id == head_of(session.front()).session_id);
    }
}
