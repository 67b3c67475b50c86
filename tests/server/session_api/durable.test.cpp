// What is shown is on the log, all of it, and survives a crash.

#include "rig.hpp"

#include <convene/runtime/log/event_log/reader.hpp>
#include <malloc.h>

#include <random>
#include <set>

using namespace convene;
using namespace convene::tests;
namespace fs = std::filesystem;

namespace {

/// The events of each session, by the reader that everybody uses.
std::map<std::string, json::array> logged(const fs::path& data) {
  std::map<std::string, json::array> all;
  REQUIRE(host::visit_log(data / "log", [&](const host::log_place&,
                                            std::string_view line) {
    auto event = json::parse(std::string{line});
    const std::string id{event.at("session_id").as_string()};
    all[id].push_back(std::move(event));
  }));
  return all;
}

} // namespace

TEST_CASE("what is shown is on the log, and in the end all of it is shown") {
  const scratch_folder folder;
  api server{folder.path(), {.threads = 2, .log_segment_bytes = 64U << 10}};
  std::vector<std::string> ids;
  std::map<std::string, json::array> shown;
  for (int i = 0; i < 40; ++i)
    ids.push_back(server.create(two_agents(20)));
  for (std::set<std::string> left{ids.begin(), ids.end()}; !left.empty();) {
    std::vector<std::string> ended;
    for (const auto& id : left) {
      auto& of = shown[id];
      const auto page
        = server.get("/v1/sessions/" + id
                     + "/events?limit=7&after=" + std::to_string(of.size()));
      for (const auto& each : page.at("events").as_array())
        of.push_back(each);
      if (page.at("ended").as_bool())
        ended.push_back(id);
    }
    const auto kept = logged(folder.path());
    for (const auto& [id, events] : shown)
      REQUIRE(events.size() <= (kept.contains(id) ? kept.at(id).size() : 0));
    for (const auto& id : ended)
      left.erase(id);
  }
  CHECK(shown == logged(folder.path()));
  CHECK(fs::exists(folder.path() / "log" / "000003.jsonl")); // crossed some
}

TEST_CASE("what was answered is there in any copy of the folder from then on") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 dice{seed};
  const scratch_folder folder;
  const auto data = folder / "data";
  api server{data};
  const auto id = server.create(with_person(6));
  std::vector<std::pair<std::string, std::string>> answers; // path, body
  for (int i = 0; i < 5; ++i) {
    const auto token = server.question().at("token").as_string();
    const auto seen = server.get("/v1/sessions/" + id + "/events?limit=1000")
                        .at("events")
                        .as_array();
    answers.emplace_back("/v1/requests/" + std::string{token} + "/reply",
                         R"({"content":")" + std::to_string(dice()) + "\"}");
    server.post(answers.back().first, answers.back().second);
    // As if the machine had lost power now.
    const auto crashed = folder / ("crash" + std::to_string(i)).c_str();
    fs::copy(data, crashed, fs::copy_options::recursive);
    api again{crashed};
    const auto now = again.get("/v1/sessions/" + id + "/events?limit=1000")
                       .at("events")
                       .as_array();
    REQUIRE(now.size() > seen.size());
    for (std::size_t at = 0; at < seen.size(); ++at)
      REQUIRE(now[at] == seen[at]);
    for (const auto& [path, body] : answers)
      CHECK(again.post(path, body).at("duplicate").as_bool());
    CHECK(again.question().at("token").as_string() != token);
  }
}

TEST_CASE("a question that is shown is asked by any copy of the folder") {
  const scratch_folder folder;
  const auto data = folder / "data";
  api server{data};
  for (int i = 0; i < 10; ++i) {
    const auto id = server.create(with_person());
    const auto question = server.question("&session=" + id);
    const auto crashed = folder / ("crash" + std::to_string(i)).c_str();
    fs::copy(data, crashed, fs::copy_options::recursive);
    api again{crashed};
    CHECK(again.get("/v1/requests?wait_ms=60000&session=" + id)
            .at("requests")
            .as_array()
          == json::array{question});
  }
}

TEST_CASE("an idle stream takes less than 16 KB") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = server.create(with_person());
  server.question();
  constexpr std::size_t count = 2000;
  std::vector<stream_reader> readers;
  readers.reserve(count);
  const auto before = mallinfo2().uordblks;
  for (std::size_t i = 0; i < count; ++i) {
    readers.push_back(
      stream_reader{server
                      .call("GET", "/v1/sessions/" + id + "/events", {},
                            {{"accept", "text/event-stream"}})
                      .stream});
    while (!readers.back().now(1 << 20).empty())
      ;
  }
  const auto each = (mallinfo2().uordblks - before) / count;
  CHECK(each < 16U << 10);
  server.post("/v1/sessions/" + id + "/cancel", "", 202);
  for (auto& reader : readers)
    CHECK(reader.rest().find("MAPSessionCompleted") != std::string::npos);
}
