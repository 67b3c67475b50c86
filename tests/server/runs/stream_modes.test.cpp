#include <catch2/catch.hpp>
#include <convene/server/runs/stream_modes.hpp>

using namespace convene::server;

namespace {

std::string refused(std::string_view modes, std::string_view buffer = "0") {
  stream_refusal why;
  return read_stream_modes(modes, buffer, why) ? "" : why.code;
}

stream_modes taken(std::optional<std::string_view> modes) {
  stream_refusal why;
  const auto made = read_stream_modes(modes, std::nullopt, why);
  REQUIRE(made);
  return *made;
}

} // namespace

TEST_CASE("a reader gets updates unless it asks for something else") {
  const auto modes = taken(std::nullopt);
  CHECK(modes.wants("run.started"));
  CHECK(modes.wants("node.completed"));
  CHECK(modes.wants("conversation.exchanged"));
  CHECK_FALSE(modes.wants("node.started"));
  CHECK_FALSE(modes.wants("channel.written"));
  CHECK(modes.buffer.count() == 0);
}

TEST_CASE("modes that are listed together are a union") {
  CHECK(taken("debug").wants("channel.written"));
  const auto both = taken("updates,messages");
  CHECK(both.messages);
  CHECK(both.wants("run.started"));
  CHECK_FALSE(both.wants("channel.written"));
  CHECK_FALSE(taken("messages").wants("run.started"));
  CHECK(taken("values").wants("node.started"));
}

TEST_CASE("a mode that is none, or values beside others, is refused") {
  for (const auto* modes : {"", "all", "updates,", ",debug", "values,debug",
                            "updates,values", "updates, debug", "Updates"}) {
    INFO(modes);
    CHECK(refused(modes) == "unsupported_stream_mode");
  }
}

TEST_CASE("a buffer has from 0 to 5000 ms") {
  CHECK(refused("debug", "5000").empty());
  for (const auto* buffer :
       {"5001", "-1", "1.5", "", "x", "99999999999999999999"}) {
    INFO(buffer);
    CHECK(refused("debug", buffer) == "validation_error");
  }
}
