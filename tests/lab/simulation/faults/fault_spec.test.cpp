#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/lab/simulation/faults/fault_spec.hpp>

#include <filesystem>
#include <fstream>
#include <string>

using namespace convene;
using Catch::Contains;
using host::fault_kind;
using host::read_faults;

namespace {

std::string why_not(std::string_view given) {
  const auto read = read_faults(given);
  return read ? "" : to_string(read.error());
}

} // namespace

TEST_CASE("faults are given as rates, at random, as JSON or as a file") {
  const auto rates = read_faults("crash=0.25,kill=1");
  REQUIRE(rates);
  CHECK(rates->asks_for(fault_kind::crash));
  CHECK(rates->asks_for(fault_kind::kill));
  CHECK_FALSE(rates->asks_for(fault_kind::hang));
  CHECK(rates->rates->of[0] == 0.25);
  const auto all = read_faults("all=0.5,hang=0");
  REQUIRE(all);
  CHECK(all->asks_for(fault_kind::power_cut));
  CHECK_FALSE(all->asks_for(fault_kind::hang));
  const auto random = read_faults("random");
  REQUIRE(random);
  CHECK(random->asks_for(fault_kind::twice));
  const auto given
    = read_faults(R"({"script": [{"fault": "late", "at": 3}], "delay_ms": 7,
                      "segment_bytes": 4096, "keep_bytes": 9000})");
  REQUIRE(given);
  CHECK(given->script == std::vector<host::fault_turn>{{fault_kind::late, 3}});
  CHECK(given->asks_for(fault_kind::late));
  CHECK(given->segment_bytes == 4096);
  CHECK(given->keep_bytes == 9000);
  CHECK_FALSE(given->asks_for(fault_kind::crash));
  CHECK(read_faults(
          boost::json::serialize(host::encode_script(*given->script, *given)))
        == given);
  const auto file = std::filesystem::temp_directory_path()
                    / "convene-fault-spec.json";
  std::ofstream{file} << "// rates\n{\"rates\": {\"sync_error\": 0.5}}\n";
  const auto read = read_faults(file.string());
  REQUIRE(read);
  CHECK(read->asks_for(fault_kind::sync_error));
  std::ofstream{file} << "{\n \"rates\": {\"sync_eror\": 0.5}}\n";
  CHECK_THAT(why_not(file.string()),
             Contains("convene-fault-spec.json:2:") && Contains("sync_error"));
  std::filesystem::remove(file);
}

TEST_CASE("faults that are none are refused with what and where") {
  CHECK_THAT(why_not("crsh=0.1"),
             Contains("unknown kind \"crsh\"") && Contains("crash"));
  CHECK_THAT(why_not("crash=2"), Contains("from 0 to 1"));
  CHECK_THAT(why_not("crash="), Contains("from 0 to 1"));
  CHECK_THAT(why_not("crash=0.1,"), Contains("from 0 to 1"));
  CHECK_THAT(why_not("crash=nan"), Contains("from 0 to 1"));
  CHECK_THAT(why_not("no/such/file.json"), Contains("no/such/file.json"));
  CHECK_THAT(why_not("{}"), Contains("exactly one"));
  CHECK_THAT(why_not(R"({"random": 0.1, "script": []})"),
             Contains("exactly one"));
  CHECK_THAT(why_not(R"({"script": [{"fault": "kill", "at": 0}]})"),
             Contains("/script/0/at"));
  CHECK_THAT(why_not(R"({"script": [{"fault": "kil", "at": 1}]})"),
             Contains("/script/0/fault"));
  CHECK_THAT(why_not(R"({"rates": {"kill": 1.5}})"), Contains("/rates/kill"));
  CHECK_THAT(why_not(R"({"random": 0.1, "delay_ms": -1})"),
             Contains("/delay_ms"));
  CHECK_THAT(why_not(R"({"random": 0.1, "segment_bytes": 2000000})"),
             Contains("/segment_bytes"));
  CHECK_THAT(why_not(R"({"random": 0.1, "keep_bytes": 9000})"),
             Contains("/keep_bytes: ") && Contains("give segment_bytes, too"));
}
