#include <catch2/catch.hpp>
#include <convene/lab/mock_endpoint/call_record.hpp>

using convene::server::call_record;

TEST_CASE("calls are counted by model and key, and while they are open") {
  const auto record = std::make_shared<call_record>();
  {
    const auto one = record->begin("a", "k", "first");
    const auto other = record->begin("b", "", "second");
    CHECK(record->counts().at("open") == 2);
  }
  const auto again = record->begin("a", "k", "third");
  const auto counts = record->counts();
  CHECK(counts.at("calls") == 3);
  CHECK(counts.at("open") == 1);
  CHECK(counts.at("open_most") == 2);
  CHECK(counts.at("by_model").at("a") == 2);
  CHECK(record->keys().at("k") == 2);
  CHECK(record->keys().size() == 1);
  CHECK(record->latest("a") == "third");
  CHECK(record->latest("c").empty());
}

TEST_CASE("names beyond the bound are counted together, and long prompts are "
          "not kept, nor long keys") {
  const auto record = std::make_shared<call_record>();
  for (std::size_t count = 0; count < call_record::models_max + 5; ++count)
    static_cast<void>(record->begin("model " + std::to_string(count), "", "x"));
  CHECK(record->counts().at("by_model").at("*") == 5);
  static_cast<void>(record->begin(
    "model 1", "", std::string(call_record::prompt_bytes_max + 1, 'x')));
  CHECK(record->latest("model 1") == "x");
  static_cast<void>(record->begin(
    "model 1", std::string(call_record::key_bytes_max + 1, 'k'), "x"));
  CHECK(record->keys().empty());
}
