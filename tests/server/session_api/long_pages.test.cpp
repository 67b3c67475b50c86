#include "rig.hpp"

#include <set>

using namespace convene;
using namespace convene::tests;

namespace {

constexpr std::size_t long_bytes = 700'000;

/// A session with a person who says little at first, and then much: whoever
/// judges by the first events is wrong. Returns its id.
std::string long_session(api& server, int short_turns, int long_turns) {
  const auto id = server.create(
    R"({"convene":"1","collab":{"title":"Long","purpose":"Talk",
    "mode":"round_robin","participants":[
      {"participant_id":"ana","kind":"human","role_id":"writer"}]},
  "task":"Write","session":{"rounds":)"
    + std::to_string(short_turns + long_turns)
    + R"(},"behaviours":{"ana":{"type":"human"}}})");
  for (int turn = 0; turn < short_turns + long_turns; ++turn) {
    const auto token = server.question().at("token").as_string();
    const std::string said(turn < short_turns ? 1 : long_bytes, 'x');
    server.post("/v1/requests/" + std::string{token} + "/reply",
                R"({"content":")" + said + "\"}");
  }
  return id;
}

constexpr std::size_t page_max = std::size_t{4} << 20;

} // namespace

TEST_CASE("a page of events ends before it is too long, and none is lost") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = long_session(server, 6, 12);
  json::array all;
  bool ended = false;
  std::size_t long_pages = 0;
  while (!ended) {
    const auto answer = server.call("GET", "/v1/sessions/" + id
                                             + "/events?limit=1000&wait_ms="
                                               "60000&after="
                                             + std::to_string(all.size()));
    // What is made before anybody takes it, and then part by part.
    CHECK(answer.body.size() < 2 * long_bytes);
    auto text = answer.body;
    if (answer.stream != nullptr) {
      stream_reader rest{answer.stream};
      while (!rest.ended) {
        const auto part = rest.next();
        CHECK(part.size() < 2 * long_bytes);
        text += part;
      }
    }
    CHECK(text.size() <= page_max + 1'000);
    long_pages += text.size() > page_max / 2 ? 1U : 0U;
    const auto page = json::parse(text).as_object();
    const auto& events = page.at("events").as_array();
    REQUIRE((!events.empty() || page.at("ended").as_bool()));
    for (const auto& each : events)
      all.push_back(each);
    CHECK(page.at("next").to_number<std::size_t>() == all.size());
    ended = page.at("ended").as_bool();
  }
  CHECK(long_pages > 0);
  std::set<std::string> ids;
  for (const auto& each : all)
    ids.emplace(each.at("event_id").as_string());
  CHECK(ids.size() == all.size());
  CHECK(all.back().at("event_type") == "MAPSessionCompleted");
}

TEST_CASE("a stream of events is made in parts, each with one long event") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = long_session(server, 6, 8);
  const auto events = server.events_to_the_end(id);
  const auto answer = server.call("GET", "/v1/sessions/" + id + "/events", {},
                                  {{"accept", "text/event-stream"}});
  REQUIRE(answer.stream != nullptr);
  stream_reader reader{answer.stream};
  std::size_t seen = 0;
  while (!reader.ended) {
    const auto part = reader.next(64 << 10);
    CHECK(part.size() < 2 * long_bytes);
    for (auto at = part.find("\ndata: "); at != part.npos;
         at = part.find("\ndata: ", at + 1))
      ++seen;
  }
  CHECK(seen == events.size());
}
