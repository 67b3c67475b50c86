#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/documents/blob.hpp>

#include <limits>
#include <string>

using namespace convene::protocol;

namespace {

blob some_blob() {
  return {.sha256 = std::string(64, 'a'), .bytes = 3};
}

} // namespace

TEST_CASE("a reference has a SHA-256 and a size, and nothing else is one") {
  const auto made = some_blob();
  json::value reference = encode(made);
  CHECK(blob_in(reference) == made);
  auto more = encode(made);
  more["x"] = 1;
  CHECK_FALSE(blob_in(more));
  for (const auto* other : {"", "BA7816BF8F01CFEA", "../../etc/passwd"}) {
    reference.as_object()["blob"] = other;
    CHECK_FALSE(blob_in(reference));
  }
  reference = encode(made);
  for (const json::value& bytes : {json::value{-1}, json::value{"3"}}) {
    reference.as_object()["bytes"] = bytes;
    CHECK_FALSE(blob_in(reference));
  }
  CHECK_FALSE(blob_in("text"));
}

TEST_CASE("events refer to blobs in an action's arguments and its output") {
  const auto which = some_blob();
  const json::value reference = encode(which);
  const json::object started{{"event_type", "action_started"},
                             {"payload", {{"arguments", reference}}}};
  CHECK(blobs_of_event(started) == std::vector{which});
  const json::object ended{{"event_type", "action_ended"},
                           {"payload", {{"result", {{"output", reference}}}}}};
  CHECK(blobs_of_line(json::serialize(ended)) == std::vector{which});
  // What a participant says is no reference.
  const json::object said{{"event_type", "MAPTurnCompleted"},
                          {"payload", {{"result", {{"output", reference}}}}}};
  CHECK(blobs_of_line(json::serialize(said)).empty());
  const json::object inside{{"event_type", "action_started"},
                            {"payload", {{"arguments", {{"of", reference}}}}}};
  CHECK(blobs_of_line(json::serialize(inside)).empty());
}

TEST_CASE(
  "a value comes back from its text, and what JSON cannot say has none") {
  const json::value value{{"text", std::string(20U << 20, 'x')},
                          {"number", 1.5},
                          {"many", json::array{1, nullptr, true}}};
  const auto text = blob_text(value, 64);
  REQUIRE(text);
  CHECK(read_blob_text(*text) == value);

  CHECK(blob_text("\xff", 64).error().rule == "action_output_invalid");
  CHECK(blob_text(std::numeric_limits<double>::infinity(), 64).error().rule
        == "action_output_invalid");
  CHECK(blob_text(json::array{json::array{}}, 1).error().rule
        == "action_depth_max");
  CHECK(blob_text(json::value(std::string(blob_bytes_max + 1, 'x')), 64)
          .error()
          .rule
        == "action_bytes_max");
  CHECK(read_blob_text("{").error().rule == "blob_corrupt");
}
