#include <catch2/catch.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/drift/drift_json.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json_schema/validate.hpp>

using namespace convene::protocol;

namespace {

const file_state content{.exists = true,
                         .sha256 = std::string(64, 'a'),
                         .bytes = 12};

drift_record gone() {
  return {.type = drift_type::deleted,
          .path = "src/a.cpp",
          .node = "resource:c/file/src~1a.cpp",
          .expected = content,
          .actual = {},
          .at = 1'700'000'000'000};
}

} // namespace

TEST_CASE("a drift event is valid and says what it was made of") {
  const auto schema = embedded_schema("mplp-event-core");
  REQUIRE(schema);
  for (const auto how : {drift_change::detected, drift_change::resolved}) {
    const auto event = drift_event(how, gone(), as_v4({1, 2}), 5);
    const auto line = encode(event);
    CHECK(validate(*schema, line).valid);
    CHECK(line.at("payload").at("severity") == "high");
    const auto told = read_drift_event(line.as_object());
    REQUIRE(told);
    REQUIRE(*told);
    CHECK((*told)->open == (how == drift_change::detected));
    CHECK((*told)->record == gone());
    CHECK(event.others.at("source") == "convene-drift");
  }
  CHECK_FALSE(read_drift_event({{"event_type", "file_update"}}).value());
}

TEST_CASE("a record of files is read as it was written") {
  const drift_baseline made{.folder = "project",
                            .at = 1'700'000'000'000,
                            .whole = true,
                            .excluded = {"build", "*.o"},
                            .commit = "0123",
                            .artifacts
                            = {{.path = "b", .expected = content},
                               {.path = "a", .node = "n", .expected = {}}}};
  const auto document = to_json(made);
  CHECK(is_baseline(document));
  const auto read = read_baseline(document);
  REQUIRE(read);
  CHECK(to_json(*read) == document);
  CHECK(read->artifacts.front()
        == artifact{.path = "a", .node = "n", .expected = {}, .at = made.at});
}

TEST_CASE("a record of files with a fault names the member") {
  const auto good = to_json(drift_baseline{
    .at = 1, .whole = true, .artifacts = {{.path = "a", .expected = content}}});
  REQUIRE(read_baseline(good));
  const auto pointer_of = [&](auto change) {
    auto document = good;
    change(document);
    const auto read = read_baseline(document);
    return read ? "accepted" : read.error().pointer;
  };
  const auto first = [](json::object& of) -> json::object& {
    return of["artifacts"].as_array()[0].as_object();
  };
  CHECK(pointer_of([](auto& of) { of["format"] = 2; }) == "/format");
  CHECK(pointer_of([](auto& of) { of["at"] = "today"; }) == "/at");
  CHECK(pointer_of([](auto& of) { of.erase("whole"); }) == "/whole");
  CHECK(pointer_of([](auto& of) { of["artifacts"] = 1; }) == "/artifacts");
  CHECK(pointer_of([](auto& of) { of["artifacts"].as_array()[0] = 1; })
        == "/artifacts/0");
  CHECK(pointer_of([&](auto& of) { first(of)["path"] = "../a"; })
        == "/artifacts/0/path");
  CHECK(pointer_of([&](auto& of) { first(of)["path"] = 7; })
        == "/artifacts/0/path");
  CHECK(pointer_of([&](auto& of) { first(of).erase("expected"); })
        == "/artifacts/0/expected");
  CHECK(pointer_of(
          [&](auto& of) { first(of)["expected"].as_object()["sha256"] = "A"; })
        == "/artifacts/0/expected");
  CHECK(pointer_of(
          [&](auto& of) { first(of)["expected"].as_object()["bytes"] = -1; })
        == "/artifacts/0/expected");
}
