#include "rig.hpp"

#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/server/session_api/event_stream.hpp>

#include <future>

using namespace convene;
using namespace convene::tests;

namespace {

using headers = std::map<std::string, std::string, std::less<>>;

const headers streams{{"accept", "text/event-stream"}};

struct sse_event {
  std::string id;
  std::string event;
  std::string data;

  bool operator==(const sse_event&) const = default;
};

/// As an EventSource reads: only what an empty line ends is an event. Drops
/// what was read.
std::vector<sse_event> take_events(std::string& bytes) {
  std::vector<sse_event> all;
  sse_event now;
  std::size_t done = 0;
  for (std::size_t at = 0;;) {
    const auto end = bytes.find('\n', at);
    if (end == bytes.npos)
      break;
    const auto line = bytes.substr(at, end - at);
    at = end + 1;
    if (line.empty()) {
      all.push_back(std::exchange(now, {}));
      done = at;
    } else if (line.starts_with("id: ")) {
      now.id = line.substr(4);
    } else if (line.starts_with("event: ")) {
      now.event = line.substr(7);
    } else {
      REQUIRE(line.starts_with("data: "));
      now.data = line.substr(6);
    }
  }
  bytes.erase(0, done);
  return all;
}

stream_reader open_stream(api& server, const std::string& id,
                          headers with = streams, std::string query = "") {
  const auto answer = server.call("GET",
                                  "/v1/sessions/" + id + "/events" + query, {},
                                  std::move(with));
  REQUIRE(answer.status == 200);
  CHECK(answer.content_type == "text/event-stream");
  REQUIRE(answer.stream != nullptr);
  return stream_reader{answer.stream};
}

/// The events of the log, by the reader that everybody uses.
std::vector<std::string> logged(const std::filesystem::path& data,
                                const std::string& id) {
  std::vector<std::string> all;
  REQUIRE(host::visit_log(data / "log",
                          [&](const host::log_place&, std::string_view line) {
                            if (line.find(id) != line.npos)
                              all.emplace_back(line);
                          }));
  return all;
}

/// Tells a feed of a session that has ended, but is not on the log. Returns its
/// id.
std::string add_lost_session(server::event_feed& to) {
  const auto id_of = [](std::uint64_t number) {
    return to_string(protocol::uuid{.high = 0x4000, .low = number});
  };
  const std::string file = "gone";
  const host::log_place place{file, 0, 0, 1, 0};
  // So many have ended since that it is out of reach.
  for (std::uint64_t i = 0; i <= server::event_places::ended_max; ++i)
    to.add(place, R"({"event_id":")" + id_of(i)
                    + R"(","event_type":"MAPSessionCompleted",)"
                      R"("event_family":"f","session_id":")"
                    + id_of(i) + R"(","payload":{"status":"completed"}})");
  return id_of(0);
}

} // namespace

TEST_CASE("a stream has every event of its session, numbered from 1") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = server.create(two_agents(3));
  auto bytes = open_stream(server, id).rest();
  const auto events = take_events(bytes);
  CHECK(bytes.empty());
  const auto expected = logged(folder.path(), id);
  REQUIRE(events.size() == expected.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    CHECK(events[i].id == std::to_string(i + 1));
    CHECK(events[i].data == expected[i]);
    CHECK(json::parse(events[i].data).at("event_type").as_string()
          == events[i].event);
  }
  CHECK(events.front().event == "MAPSessionStarted");
  CHECK(events.back().event == "MAPSessionCompleted");
}

TEST_CASE("what is far behind is not read on the thread of a connection") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = server.create(two_agents(40));
  server.events_to_the_end(id);
  const auto expected = logged(folder.path(), id);
  REQUIRE(expected.size() > 2 * server::event_feed::fresh_events);
  auto stream = open_stream(server, id);
  CHECK(stream.now().empty());
  auto bytes = stream.rest();
  const auto events = take_events(bytes);
  REQUIRE(events.size() == expected.size());
  for (std::size_t i = 0; i < events.size(); ++i)
    CHECK(events[i].data == expected[i]);
  const auto near
    = std::to_string(expected.size() - server::event_feed::fresh_events);
  CHECK_FALSE(open_stream(server, id, streams, "?after=" + near).now().empty());
}

TEST_CASE("a stream of events that are not on the log any more ends") {
  const scratch_folder folder;
  host::blocking_pool pool{{.threads = 1}};
  const auto feed = std::make_shared<server::event_feed>(folder / "log", pool);
  server::event_stream stream{feed, add_lost_session(*feed), 0};
  const auto turns_max = 5;
  int turns = 0;
  for (bool ended = false; !ended && turns < turns_max; ++turns) {
    const auto more = std::make_shared<std::promise<void>>();
    ended = stream.read(1'000, [more] { more->set_value(); }).is_last;
    if (!ended)
      more->get_future().wait();
  }
  CHECK(turns < turns_max);
}

TEST_CASE("a page of events that are not on the log any more is an error") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = add_lost_session(*server.host().events());
  CHECK(server.call("GET", "/v1/sessions/" + id + "/events").status == 500);
}

TEST_CASE("a stream that is cut at any byte goes on without loss or repeat") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = server.create(two_agents());
  server.events_to_the_end(id);
  const auto whole = open_stream(server, id).rest();
  auto copy = whole;
  const auto expected = take_events(copy);
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    auto bytes = whole.substr(0, cut);
    auto events = take_events(bytes);
    auto with = streams;
    if (!events.empty())
      with["last-event-id"] = events.back().id;
    const auto answer = server.call("GET", "/v1/sessions/" + id + "/events", {},
                                    with);
    if (events.size() == expected.size()) {
      CHECK(answer.status == 204); // nothing ever follows
      continue;
    }
    REQUIRE(answer.status == 200);
    auto rest = stream_reader{answer.stream}.rest();
    for (auto& each : take_events(rest))
      events.push_back(std::move(each));
    REQUIRE(events == expected);
  }
}

TEST_CASE("a stream is read in small parts, each with whole events") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = server.create(two_agents(2));
  const auto whole = open_stream(server, id).rest();
  auto reader = open_stream(server, id);
  std::string all;
  std::size_t parts = 0;
  while (!reader.ended) {
    auto part = reader.next(1);
    CHECK((part.empty() || part.ends_with("\n\n")));
    all += part;
    ++parts;
  }
  CHECK(all == whole);
  CHECK(parts > 1);
}

TEST_CASE("a live stream waits for events, and its reader may go") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = server.create(with_person());
  const auto token = server.question().at("token").as_string();
  {
    auto reader = open_stream(server, id);
    auto bytes = reader.next();
    for (std::string more = reader.now(); !more.empty(); more = reader.now())
      bytes += more;
    CHECK(!reader.ended);
    CHECK(server.host().events()->sessions().waiting() == 1);
    {
      auto another = open_stream(server, id, streams,
                                 "?after=" + take_events(bytes).back().id);
      static_cast<void>(another.now());
      CHECK(server.host().events()->sessions().waiting() == 2);
    }
    CHECK(server.host().events()->sessions().waiting() == 1);
    server.post("/v1/requests/" + std::string{token} + "/reply",
                R"({"content":"fine"})");
    auto rest = reader.rest();
    CHECK(take_events(rest).back().event == "MAPSessionCompleted");
  }
  CHECK(server.host().events()->sessions().waiting() == 0);
}

TEST_CASE(
  "events come as pages of JSON, and the next one begins where one ends") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = server.create(two_agents(3));
  const auto all = server.events_to_the_end(id);
  json::array pages;
  std::string after = "0";
  bool ended = false;
  while (!ended) {
    const auto page
      = server.get("/v1/sessions/" + id + "/events?limit=2&after=" + after);
    CHECK(page.at("events").as_array().size() <= 2);
    for (const auto& each : page.at("events").as_array())
      pages.push_back(each);
    after = json::serialize(page.at("next"));
    ended = page.at("ended").as_bool();
  }
  CHECK(pages == all);
  CHECK(after == std::to_string(all.size()));
  const auto behind = server.get("/v1/sessions/" + id + "/events?after=" + after
                                 + "&wait_ms=60000");
  CHECK(behind.at("events").as_array().empty());
  CHECK(behind.at("ended").as_bool());
}

TEST_CASE("a long poll answers with the next event, or empty after its time") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = server.create(with_person());
  server.question();
  const auto path = "/v1/sessions/" + id + "/events";
  const auto next
    = json::serialize(server.get(path + "?limit=1000").at("next"));
  const auto late = server.begin("GET", path + "?wait_ms=1000&after=" + next);
  CHECK(late->limit() == std::chrono::milliseconds{1000});
  CHECK(!late->is_there());
  CHECK(server.host().events()->sessions().waiting() == 1);
  late->expire();
  const auto empty = api::body_of(late->get(), 200);
  CHECK(empty.at("events").as_array().empty());
  CHECK(json::serialize(empty.at("next")) == next);
  CHECK(!empty.at("ended").as_bool());
  CHECK(server.host().events()->sessions().waiting() == 0);
  const auto poll = server.begin("GET", path + "?wait_ms=60000&after=" + next);
  CHECK(!poll->is_there());
  server.post("/v1/sessions/" + id + "/cancel", "", 202);
  CHECK(!api::body_of(poll->get(), 200).at("events").as_array().empty());
}

TEST_CASE("a place that the stream does not have is refused") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = server.create(two_agents());
  const auto count = server.events_to_the_end(id).size();
  const auto path = "/v1/sessions/" + id + "/events";
  for (const auto& bad :
       std::vector<std::string>{"?after=" + std::to_string(count + 1),
                                "?after=x", "?limit=1001", "?wait_ms=60001"})
    CHECK(api::code_of(server.get(path + bad, 400)) == "usage");
  for (const std::string bad : {"x", "-1", "1x", "99999999999999999999"})
    CHECK(server.call("GET", path, {}, {{"last-event-id", bad}}).status == 400);
}
