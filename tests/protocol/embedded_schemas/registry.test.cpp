#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/embedded_schemas/compiled_ahead.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json_schema/program_image.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <convene/schemas/catalog.hpp>

#include <stdexcept>
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

TEST_CASE("the build compiles every schema to what its text compiles to") {
  schema_set set;
  std::vector<std::string_view> missing;
  for (const auto& file : schemas::all())
    if (!file.id.empty()) {
      REQUIRE(set.add_text({}, file.text));
      missing.push_back(file.id);
    }
  for (const auto& [reference, bytes] : compiled_ahead()) {
    INFO(reference);
    std::erase(missing, reference);
    const auto made = compile(set, reference);
    REQUIRE(made);
    CHECK(validation::to_image(made->code()) == bytes);
    CHECK(validation::to_image(validation::from_image(bytes)) == bytes);
  }
  CHECK(missing.empty());
}

TEST_CASE("an image that is cut short is not read") {
  const auto bytes = compiled_ahead().front().bytes;
  for (const auto size : {std::size_t{0}, bytes.size() / 2, bytes.size() - 1})
    CHECK_THROWS_AS(validation::from_image(bytes.substr(0, size)),
                    std::logic_error);
}

TEST_CASE("a part of a schema that the build has not compiled is, on demand") {
  const auto part = embedded_schema("mplp-plan#/properties/title");
  REQUIRE(part);
  CHECK(validate(*part, json::value("a title")).valid);
  CHECK_FALSE(validate(*part, json::value(1)).valid);
  CHECK_FALSE(embedded_schema("mplp-plan#/properties/nowhere"));
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
