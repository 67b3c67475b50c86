#include "program.hpp"
#include "server/http/raw_client.hpp"

#include <chrono>
#include <csignal>
#include <thread>

using namespace convene::tests;
using Catch::Contains;

namespace {

/// The port of a mock that the program runs, once it listens.
std::uint16_t port_of(const program& running) {
  while (!running.has_ended()) {
    const auto out = running.output();
    if (out.starts_with("listening on ") && out.ends_with('\n'))
      return static_cast<std::uint16_t>(
        std::stoul(out.substr(out.rfind(':') + 1)));
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  FAIL("it does not listen: " << running.output());
  return 0;
}

} // namespace

TEST_CASE("mock-model serves a profile until it is told to stop") {
  const scratch_folder files;
  const auto profile = files / "profile.json";
  write_bytes(profile,
              R"({"models": {"m": {"answers": [{"text": "Scripted."}]}}})");
  program running{
    {"mock-model", "--listen", "127.0.0.1:0", "--profile", profile.string()}};
  const auto port = port_of(running);
  raw_client client{port};
  const std::string body
    = R"({"model": "m", "messages": [{"role": "user", "content": "go"}]})";
  client.send("POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:"
              + std::to_string(port)
              + "\r\nConnection: close\r\nContent-Type: application/json\r\n"
                "Content-Length: "
              + std::to_string(body.size()) + "\r\n\r\n" + body);
  CHECK_THAT(client.all(), Contains(R"("content":"Scripted.")"));
  running.signal(SIGTERM);
  const auto done = running.wait();
  CHECK(done.code == 0);
  CHECK(done.err.empty());
}

TEST_CASE("mock-model says what is wrong with what it was given") {
  const scratch_folder files;
  const auto profile = files / "profile.json";
  write_bytes(profile, "{\"models\": {\"m\": {\n  \"anwsers\": []}}}");
  const auto refused
    = program{{"mock-model", "--profile", profile.string()}}.wait();
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("profile.json:") && Contains("/models/m")
                            && Contains("anwsers"));
  const auto missing
    = program{{"mock-model", "--profile", "nowhere.json"}}.wait();
  CHECK(missing.code == 2);
  CHECK_THAT(missing.err, Contains("nowhere.json"));
  const auto place = program{{"mock-model", "--listen", "somewhere"}}.wait();
  CHECK(place.code == 2);
  CHECK_THAT(place.err, Contains("--listen expects"));
}
