#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/integrations/drift/file_updates.hpp>
#include <convene/integrations/webhooks/outside_log.hpp>
#include <unistd.h>

#include <filesystem>
#include <string>

using namespace convene;

namespace {

/// An event whose line has so many bytes.
host::incoming event_of(std::size_t bytes, const std::string& run) {
  auto made = host::make_incoming(host::incoming_kind::ci, "ci-v1",
                                  boost::json::object{{"ci_provider", "ci"},
                                                      {"pipeline_id", "main"},
                                                      {"run_id", run},
                                                      {"status", "failed"},
                                                      {"commit_id", "a"}},
                                  {1, 2}, 1'767'225'600'000);
  REQUIRE(made);
  auto& payload = made->event["payload"].get_object();
  const auto now = boost::json::serialize(made->event).size();
  payload["commit_id"] = std::string(bytes - now + 1, 'a');
  REQUIRE(boost::json::serialize(made->event).size() == bytes);
  return *std::move(made);
}

} // namespace

TEST_CASE("an event is only taken if its log can be opened again with it") {
  const auto file = std::filesystem::temp_directory_path()
                    / ("convene-outside-" + std::to_string(::getpid()));
  std::filesystem::remove(file);
  auto log = server::outside_log::open(file);
  REQUIRE(log);
  const auto most = host::event_bytes_max;
  CHECK((*log)->take(event_of(most, "1"), 0) == host::intake_verdict::queued);
  const auto refused = (*log)->take(event_of(most + 1, "2"), 0);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "event_bytes_max");
  CHECK((*log)->take(event_of(1'000, "2"), 0) == host::intake_verdict::queued);
  log->reset();
  log = server::outside_log::open(file);
  REQUIRE(log);
  CHECK((*log)->take(event_of(1'000, "2"), 0)
        == host::intake_verdict::duplicate);
  log->reset();
  std::filesystem::remove(file);
}
