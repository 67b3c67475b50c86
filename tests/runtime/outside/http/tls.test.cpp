#include "runtime/outside/http/calls.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cstdio>
#include <memory>
#include <string>

using namespace convene::host;
using namespace convene::tests;

TEST_CASE("a certificate that nobody vouches for is refused") {
  const std::string folder = CONVENE_SOURCE_DIR "/tests/runtime/outside/http/";
  const std::unique_ptr<FILE, int (*)(FILE*)> server{
    popen(("python3 " + folder + "tls_server.py").c_str(), "r"), &pclose};
  REQUIRE(server);
  std::array<char, 32> port{};
  REQUIRE(std::fgets(port.data(), port.size(), server.get()) != nullptr);
  const http_request asked{.url = "https://localhost:"
                                  + std::to_string(std::stoi(port.data())),
                           .headers = {{"Authorization", "Bearer planted"}},
                           .timeout_ms = 120'000,
                           .connect_timeout_ms = 120'000};
  http_client strict{local_options()};
  const auto refused = call(strict, asked);
  CHECK(refused.error.code == "tls_failed");
  CHECK_FALSE(refused.error.transient);
  CHECK(refused.error.message.find("certificate") != std::string::npos);
  auto options = local_options();
  options.ca_file = folder + "self_signed.pem";
  http_client trusting{options};
  CHECK(call(trusting, asked).body == "ok");
}
