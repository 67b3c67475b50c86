#include "sample.hpp"

#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>

#include <atomic>
#include <map>
#include <mutex>
#include <set>

using namespace convene;
using namespace convene::tests;
using protocol::text_of;
using protocol::texts_of;

namespace {

/// Sees a session's events, of one type each.
class event_watch {
public:
  void see(std::string_view lines) {
    const std::lock_guard held{mutex_};
    for (auto end = lines.find('\n'); end != lines.npos;
         end = lines.find('\n')) {
      auto event = protocol::parse_json(lines.substr(0, end)).value();
      lines.remove_prefix(end + 1);
      const std::string type{text_of(event.as_object(), "event_type")};
      payloads_[type].push_back(event.at("payload").as_object());
    }
  }

  const std::vector<protocol::json::object>& all(const std::string& type) {
    const std::lock_guard held{mutex_};
    return payloads_[type];
  }

private:
  std::mutex mutex_;
  std::map<std::string, std::vector<protocol::json::object>> payloads_;
};

} // namespace

TEST_CASE(
  "of a thousand who write at once, one wins and all others are named") {
  constexpr std::size_t writers = 1000;
  auto write = [](const turn_request& asked) {
    return reply{
      .writes = {{.resource_type = "file",
                  .resource_id = "a",
                  .value = protocol::json::string{asked.participant}}}};
  };
  session_setup setup{.mode = mode::broadcast,
                      .task = "write",
                      .options = {.turn_timeout_ms = 3'000'000}};
  setup.participants.push_back(agent("asker", "role", write));
  for (std::size_t n = 0; n < writers; ++n)
    setup.participants.push_back(
      n % 2 == 0 ? agent("p" + std::to_string(n), "role", write)
                 : quick_agent("p" + std::to_string(n), "role", write));
  event_watch seen;
  convene::runtime rt;
  const auto ended
    = rt.start(setup, [&](auto, auto lines) { seen.see(lines); }).await();
  REQUIRE(ended);
  CHECK(how(ended) == "rounds");
  CHECK(ended->conflicts == writers - 1);
  const auto& written = seen.all("resource_written");
  REQUIRE(written.size() == 1);
  const std::string winner{text_of(written[0], "participant_id")};
  CHECK(written[0].at("value").as_string() == winner);
  std::set<std::string> losers;
  for (const auto& resolved : seen.all("MAPConflictResolved"))
    for (auto who : texts_of(resolved, "losing_participants"))
      losers.emplace(who);
  CHECK(losers.size() == writers - 1);
  CHECK_FALSE(losers.contains(winner));
}

TEST_CASE("a participant sees what the one before it wrote") {
  auto count = [](const turn_request& asked) {
    const auto* counter = asked.workspace.find({"counter", "n"});
    const auto before = counter == nullptr ? 0 : counter->value.as_int64();
    const auto base = counter == nullptr ? 0 : counter->version;
    return reply{.writes = {{.resource_type = "counter",
                             .resource_id = "n",
                             .base_version = static_cast<std::int64_t>(base),
                             .value = before + 1}}};
  };
  event_watch seen;
  convene::runtime rt;
  const auto ended
    = rt.start({.participants = {agent("a", "role", count),
                                 quick_agent("b", "role", count)},
                .task = "count",
                .options = {.rounds = 50}},
               [&](auto, auto lines) { seen.see(lines); })
        .await();
  REQUIRE(ended);
  CHECK(ended->conflicts == 0);
  const auto& written = seen.all("resource_written");
  REQUIRE(written.size() == 100);
  CHECK(written.back().at("value") == 100);
  CHECK(written.back().at("version") == 100);
}
