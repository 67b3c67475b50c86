#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/lab/study/point_store.hpp>
#include <convene/lab/study/study_summary.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>
#include <runtime/log/event_log/files.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace convene;
using namespace convene::tests;

namespace {

/// Four tasks, two who take them.
const std::string tasks = R"({
  "collab": {"mode": "round_robin", "participants": [
    {"participant_id": "ann", "role_id": "role-a"},
    {"participant_id": "bob", "role_id": "role-b"}]},
  "tasks": [{"title": "one"}, {"title": "two"}, {"title": "three"},
            {"title": "four"}],
  "behaviours": {"*": {"type": "simulated", "failure": 0.1,
    "latency_ms": {"uniform": {"min": 1, "max": 900}}}},
  "session": {"retries": 5}, "task": "work"})";

host::study study_of(std::vector<std::string> variations,
                     std::uint64_t seeds = 20) {
  std::vector<host::variation> all;
  for (const auto& text : variations)
    all.push_back(*host::parse_variation(text));
  return {.points = *host::grid_of(all),
          .first = 1,
          .last = seeds,
          .scenario = [](const host::study_point& point,
                         std::uint64_t seed) -> result<host::seeded_scenario> {
            protocol::uuid_source ids{~seed};
            return host::load_scenario(
                     protocol::parse_json(tasks)->as_object(),
                     {.ids = ids, .overrides = point.overrides, .seed = seed})
              .map([](session::spec&& made) {
                return host::seeded_scenario{std::move(made), {}};
              });
          }};
}

std::vector<host::point_result> run(const host::study& what) {
  const std::atomic<bool> stop = false;
  std::vector<host::point_result> all;
  REQUIRE(host::run_points(what, stop, all));
  return all;
}

} // namespace

TEST_CASE("a member that changes nothing changes no draw: pairs are equal") {
  // The first one does nothing before the others are asked, but to be there.
  const auto what = study_of(
    {R"(collab.participants=[{"participant_id":"ann","role_id":"role-a"},{"participant_id":"bob","role_id":"role-b"}],[{"participant_id":"cleo","role_id":"role-c"},{"participant_id":"ann","role_id":"role-a"},{"participant_id":"bob","role_id":"role-b"}])"});
  const auto all = run(what);
  REQUIRE(all.size() == 2);
  const auto found = host::compare_pairs(all[1].values_of("duration_ms"),
                                         all[0].values_of("duration_ms"));
  // One turn after the other: the tasks take what they take, whoever has them.
  CHECK(found.equal == found.pairs);
  CHECK(found.pairs == 20);
}

TEST_CASE("a swarm does the same tasks at the same time, and so sooner") {
  const auto all = run(study_of({"collab.mode=round_robin,swarm"}));
  const auto found = host::compare_pairs(all[1].values_of("completion_ms"),
                                         all[0].values_of("completion_ms"));
  CHECK(found.lower == 20);
  CHECK(found.decided == host::paired_difference::direction::lower);
  // The same tasks failed as often.
  CHECK(all[0].measures.at("failed_turns")
        == all[1].measures.at("failed_turns"));
}

TEST_CASE("points are the same with any number of threads") {
  auto what = study_of({"session.retries=0,3"}, 8);
  const auto alone = run(what);
  what.threads = 4;
  CHECK(alone == run(what));
  CHECK(host::summarise(what, alone, 1) == host::summarise(what, run(what), 1));
}

TEST_CASE("a summary compares each point with the baseline") {
  const auto what = study_of({"collab.mode=round_robin,swarm"});
  const auto all = run(what);
  const auto summary = host::summarise(what, all, 1);
  CHECK(summary.at("runs") == 40);
  CHECK(summary.at("points").at(0).at("against_baseline").is_null());
  const auto& swarm = summary.at("points").at(1);
  CHECK(swarm.at("name") == "collab.mode=swarm");
  const auto& sooner = swarm.at("against_baseline").at("completion_ms");
  CHECK(sooner.at("verdict") == "better");
  CHECK(sooner.at("lower") == 20);
  CHECK(swarm.at("measures").at("completed").at("value") == 1.0);
  const auto turned = host::summarise(what, all, 2);
  CHECK(turned.at("points")
          .at(0)
          .at("against_baseline")
          .at("completion_ms")
          .at("verdict")
        == "worse");
}

TEST_CASE("what a point came to is read as it was written") {
  const auto all = run(study_of({"session.max_turns=2"}, 4));
  REQUIRE(all.size() == 1);
  CHECK(all[0].ends == "xxxx");
  const auto again = host::decode_point(host::encode(all[0]), 4);
  REQUIRE(again);
  CHECK(*again == all[0]);
  CHECK_FALSE(host::decode_point(host::encode(all[0]), 5));
  for (const std::string member : {"ends", "measures", "failed", "failures"}) {
    auto damaged = host::encode(all[0]);
    damaged.erase(member);
    CHECK(host::decode_point(damaged, 4).error().rule == "study_store");
  }
  const auto with = [&](const char* pointer, protocol::json::value value) {
    auto damaged = protocol::json::value(host::encode(all[0]));
    damaged.at_pointer(pointer) = std::move(value);
    const auto read = host::decode_point(damaged.get_object(), 4);
    return read ? std::string{"read"} : read.error().rule;
  };
  CHECK(with("/measures/turns/0", 7) == "read");
  CHECK(with("/measures/turns/0", -1) == "study_store");
  CHECK(with("/measures/turns/0", std::numeric_limits<std::int64_t>::max())
        == "study_store");
  // As a simulation's summary tells it.
  const protocol::json::object told{{"seed", 1},
                                    {"findings_total", 1},
                                    {"findings", {{{"rule", "x"}}}}};
  CHECK(with("/failures", protocol::json::array{told}) == "read");
  for (const std::string member : {"seed", "findings"}) {
    auto lacking = told;
    lacking.erase(member);
    CHECK(with("/failures", protocol::json::array{lacking}) == "study_store");
  }
  const protocol::json::object judged{
    {"name", "calm"},
    {"failed", 1},
    {"share", {{"value", 0.25}, {"low", nullptr}, {"high", 1}}}};
  CHECK(with("/properties", protocol::json::array{judged}) == "read");
  for (const std::string member : {"name", "failed", "share"}) {
    auto lacking = judged;
    lacking.erase(member);
    CHECK(with("/properties", protocol::json::array{lacking}) == "study_store");
  }
  const auto own = [&](protocol::json::value value) {
    return with("/own_measures", {{"mine", {1, nullptr, 3, std::move(value)}}});
  };
  CHECK(own(4) == "read");
  CHECK(own(nullptr) == "read");
  CHECK(own(0.5) == "study_store");
  CHECK(own(std::numeric_limits<std::int64_t>::max()) == "study_store");
}

TEST_CASE("wherever a store was cut off, it goes on with what is whole") {
  const auto what = study_of({"session.retries=0..2"}, 3);
  const auto all = run(what);
  const scratch_folder folder;
  {
    auto store = host::point_store::open(folder / "one", "hash", 3, 3);
    REQUIRE(store);
    CHECK(store->finished().empty());
    for (const auto& point : all)
      REQUIRE(store->append(point));
    CHECK(host::point_store::open(folder / "one", "hash", 3, 3).error().rule
          == "folder_locked");
  }
  const auto whole = read_bytes(folder / "one/points.jsonl");
  REQUIRE(std::ranges::count(whole, '\n') == 3);
  const auto step = whole.size() / 40;
  for (std::size_t cut = 0; cut <= whole.size(); cut += step) {
    CAPTURE(cut);
    const auto here = folder.path() / std::to_string(cut);
    std::filesystem::create_directory(here);
    write_bytes(here / "points.jsonl", whole.substr(0, cut));
    auto store = host::point_store::open(here, "hash", 3, 3);
    REQUIRE(store);
    auto found = store->finished();
    CHECK(found.size()
          == static_cast<std::size_t>(
            std::ranges::count(whole.substr(0, cut), '\n')));
    for (auto i = found.size(); i < all.size(); ++i)
      REQUIRE(store->append(all[i]));
    CHECK(read_bytes(here / "points.jsonl") == whole);
  }
}

TEST_CASE("a store of which one digit was changed is refused") {
  const scratch_folder folder;
  const auto all = run(study_of({"session.retries=1,2"}, 1));
  {
    auto store = host::point_store::open(folder / "s", "hash", 1, 2);
    REQUIRE(store);
    for (const auto& point : all)
      REQUIRE(store->append(point));
  }
  const auto file = folder / "s/points.jsonl";
  const auto whole = read_bytes(file);
  std::size_t tried = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (whole[i] < '0' || whole[i] > '9')
      continue;
    auto edited = whole;
    edited[i] = whole[i] == '9' ? '8' : static_cast<char>(whole[i] + 1);
    write_bytes(file, edited);
    CAPTURE(i);
    ++tried;
    CHECK_FALSE(host::point_store::open(folder / "s", "hash", 1, 2));
  }
  CHECK(tried > 50);
  auto spaced = whole;
  spaced.insert(spaced.find(R"("seal":)") + 7, " ");
  write_bytes(file, spaced);
  CHECK_FALSE(host::point_store::open(folder / "s", "hash", 1, 2));
  write_bytes(file, whole);
  CHECK(host::point_store::open(folder / "s", "hash", 1, 2));
}

TEST_CASE("another study's store, and a damaged one, are refused") {
  const scratch_folder folder;
  const auto rule = [&](const std::string& text, const char* study = "hash") {
    std::filesystem::remove_all(folder / "s");
    std::filesystem::create_directory(folder / "s");
    write_bytes(folder / "s/points.jsonl", text);
    const auto store = host::point_store::open(folder / "s", study, 1, 1);
    return store ? "" : store.error().rule;
  };
  const auto all = run(study_of({"session.retries=1"}, 1));
  auto line = host::encode(all[0]);
  line["study"] = "hash";
  line["point"] = 1;
  const auto good = protocol::json::serialize(line) + '\n';
  CHECK(rule(good).empty());
  CHECK(rule(good, "other") == "study_other");
  CHECK(rule(good + good) == "study_store");
  CHECK(rule("{}\n") == "study_other");
  CHECK(rule("[\n") == "study_store");
  CHECK(rule("\n") == "study_store");
  line["point"] = 2;
  CHECK(rule(protocol::json::serialize(line) + '\n') == "study_store");
  std::filesystem::create_directory(folder / "full");
  write_bytes(folder / "full/other", "x");
  CHECK(host::point_store::open(folder / "full", "hash", 1, 1).error().rule
        == "out");
  const auto file = host::point_store::open(folder / "full/other", "hash", 1,
                                            1);
  CHECK(file.error().code == protocol::errc::usage);
  CHECK(file.error().rule == "out");
}
