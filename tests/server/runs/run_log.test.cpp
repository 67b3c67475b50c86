#include <catch2/catch.hpp>
#include <convene/server/runs/run_log.hpp>
#include <runtime/log/event_log/files.hpp>

#include <fstream>
#include <future>

using namespace convene::server;
using convene::protocol::durability;
using convene::protocol::uuid;

namespace {

const uuid first_run
  = *convene::protocol::parse_uuid("11111111-1111-4111-8111-111111111111");
const uuid second_run
  = *convene::protocol::parse_uuid("22222222-2222-4222-8222-222222222222");

std::vector<event_text> texts(const std::vector<std::string>& all) {
  std::vector<event_text> made;
  for (const auto& each : all)
    made.push_back(std::make_shared<const std::string>(each));
  return made;
}

std::unique_ptr<run_log> opened(const std::filesystem::path& folder,
                                std::string* seen = nullptr) {
  auto log = run_log::open(folder, durability::group,
                           [seen](const uuid& run, std::string_view event) {
                             if (seen != nullptr)
                               *seen += to_string(run).substr(0, 1)
                                        + std::string{event} + ' ';
                           });
  REQUIRE(log);
  return *std::move(log);
}

void keep(run_log& log, const uuid& run, const std::vector<std::string>& what) {
  const auto place = log.append(run, texts(what));
  REQUIRE(place);
  std::promise<bool> kept;
  log.when_kept(*place,
                [&kept](const auto& how) { kept.set_value(how.has_value()); });
  CHECK(kept.get_future().get());
}

std::string text_of(run_log& log, const uuid& run) {
  const auto events = log.read(run);
  REQUIRE(events);
  std::string all;
  for (const auto& each : *events)
    all += *each + ' ';
  return all;
}

} // namespace

TEST_CASE("the log of runs gives back each run's events, also when it is "
          "opened again") {
  const convene::tests::scratch_folder folder;
  {
    const auto log = opened(folder / "runs");
    keep(*log, first_run, {R"({"a":1})", R"({"a":2})"});
    keep(*log, second_run, {R"({"b":1})"});
    keep(*log, first_run, {R"({"a":"},{"})"});
    CHECK(text_of(*log, first_run) == R"({"a":1} {"a":2} {"a":"},{"} )");
  }
  std::string seen;
  const auto log = opened(folder / "runs", &seen);
  CHECK(seen == R"(1{"a":1} 1{"a":2} 2{"b":1} 1{"a":"},{"} )");
  CHECK(text_of(*log, second_run) == R"({"b":1} )");
}

TEST_CASE("a folder with another log is not taken for the log of runs") {
  const convene::tests::scratch_folder folder;
  std::filesystem::create_directories(folder / "runs");
  {
    const auto other = convene::host::event_log_writer::open(
      folder / "runs", {.segment_bytes = 1 << 20});
    REQUIRE(other);
    REQUIRE((*other)->append("{\"event_type\":\"x\"}\n"));
    REQUIRE((*other)->close());
  }
  const auto log = run_log::open(folder / "runs", durability::none,
                                 [](const uuid&, std::string_view) {});
  REQUIRE_FALSE(log);
  CHECK(log.error().rule == "not_a_run_log");
}
