#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <convene/schemas/catalog.hpp>

#include <thread>
#include <vector>

using namespace convene;
using namespace convene::protocol;

TEST_CASE("several threads get the same schema") {
  std::vector<const validation::program*> found(4);
  std::vector<std::thread> threads;
  for (auto& one : found)
    threads.emplace_back([&one] {
      if (const auto schema = embedded_schema("plan"))
        one = &schema->code();
    });
  for (auto& thread : threads)
    thread.join();
  REQUIRE(found.front() != nullptr);
  for (const auto* one : found)
    CHECK(one == found.front());
}

TEST_CASE("every embedded schema compiles, by each of its names once") {
  for (const auto& file : schemas::all()) {
    INFO(file.path);
    const auto by_path = embedded_schema(file.path);
    CHECK(by_path.has_value() == !file.id.empty());
    if (!by_path)
      continue;
    for (auto name :
         {file.id, schemas::name(file), schemas::short_name(file)}) {
      const auto schema = embedded_schema(name);
      REQUIRE(schema);
      CHECK(&schema->code() == &by_path->code());
    }
  }
}

TEST_CASE("a schema validates with what it refers to") {
  const auto schema = embedded_schema("mplp-role");
  REQUIRE(schema);
  const auto document = json::parse(R"({
    "meta": {"protocol_version": "1.0.0", "schema_version": "2.0.0"},
    "role_id": "no uuid", "name": "coder"})");
  const auto out = validate(*schema, document);
  CHECK_FALSE(out.valid);
  REQUIRE(out.violations.size() >= 1);
  CHECK(out.violations.front().instance_pointer == "/role_id");
}

TEST_CASE("a name that is nobody's fails with those that are near") {
  const auto refused = embedded_schema("mplp-colab");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::usage);
  CHECK(refused.error().rule == "unknown_schema");
  CHECK(refused.error().message.find("\"mplp-collab\"") != std::string::npos);
  CHECK(suggest_embedded("frobnicate").empty());
  CHECK_FALSE(embedded_schema(""));
  const auto data = embedded_schema("invariants/sa.json");
  REQUIRE_FALSE(data);
  CHECK(data.error().message.find("is data") != std::string::npos);
}
