// Sessions that a runtime did not begin: forks, and those of other processes.

#include "log_texts.hpp"
#include "sample.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/started_sessions.hpp>
#include <convene/runtime/taken_sessions.hpp>

#include <stdexcept>
#include <string>

using namespace convene;
using namespace convene::tests;

namespace {

struct beginning {
  std::string id;
  texts whole; ///< all of the session's events
  texts first; ///< those that it is started with
  std::string lines;
};

beginning some_beginning() {
  const scratch_folder folder;
  const auto log = folder / "whole.jsonl";
  beginning made;
  {
    convene::runtime rt{{.log = log, .seed = 11}};
    const auto session = rt.start(simulated_in(mode::round_robin, 1));
    made.id = session.id();
    REQUIRE(session.await());
    REQUIRE(rt.close());
  }
  made.whole = events_of(log);
  std::size_t count = 4;
  while (!is_between_inputs(made.whole, count))
    ++count;
  REQUIRE(count < made.whole.size());
  for (std::size_t i = 0; i < count; ++i) {
    made.first.push_back(made.whole[i]);
    made.lines += made.whole[i] + '\n';
  }
  return made;
}

} // namespace

TEST_CASE("under virtual time a session with a past is run by who awaits it") {
  const auto from = some_beginning();
  const scratch_folder folder;
  const auto log = folder / "log.jsonl";
  convene::runtime rt{{.log = log, .seed = 11}};
  const auto session = host::start_recorded(rt, from.id, from.lines, {});
  REQUIRE(session);
  REQUIRE(session->await());
  REQUIRE(rt.close());
  CHECK(events_of(log) == from.whole);
}

TEST_CASE("an observer that throws at a session's past ends the session, "
          "whose events stay") {
  const auto from = some_beginning();
  const scratch_folder folder;
  const auto log = folder / "log.jsonl";
  convene::runtime rt{{.log = log, .seed = 11}};
  host::watch_starts(rt, {.observe =
                            [] {
                              return [](std::string_view, std::string_view) {
                                throw std::runtime_error{"no room"};
                              };
                            },
                          .started = {}});
  const auto session = host::start_recorded(rt, from.id, from.lines, {});
  REQUIRE(session);
  const auto ended = session->await();
  REQUIRE_FALSE(ended);
  CHECK(ended.error().message == "the observer threw: no room");
  CHECK(rt.sessions().empty());
  // The log has the session: no other one gets its id.
  const auto again = host::start_recorded(rt, from.id, from.lines, {});
  CHECK(again.error().rule == "session_id");
  REQUIRE(rt.close());
  CHECK(events_of(log) == from.first);
}

TEST_CASE("an observer that throws refuses a session that was taken over") {
  const auto from = some_beginning();
  convene::runtime rt;
  const host::taken_session taken{.id = from.id,
                                  .known = {},
                                  .lines =
                                    [&](std::uint64_t n) {
                                      return n < from.first.size()
                                               ? texts{from.first[n]}
                                               : texts{};
                                    },
                                  .blob = {}};
  recovery_options with;
  SECTION("when it is shown the events") {
    with.observe = [](const std::string&) {
      return [](std::string_view, std::string_view) {
        throw std::runtime_error{"no room"};
      };
    };
    CHECK(host::take_over(rt, taken, with).error().message
          == "the observer threw: no room");
  }
  SECTION("when it is made") {
    with.observe = [](const std::string&) -> observer {
      throw std::runtime_error{"no room"};
    };
    CHECK(host::take_over(rt, taken, with).error().message
          == "asking who observes a session threw: no room");
  }
  // Nothing is on the log yet, so it can be tried again.
  const auto session = host::take_over(rt, taken, {});
  REQUIRE(session);
  CHECK(session->await());
}
