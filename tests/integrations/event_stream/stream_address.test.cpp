#include <catch2/catch.hpp>
#include <convene/integrations/event_stream/stream_address.hpp>

#include <string>

using namespace convene::host;

TEST_CASE("the URL of a stream names its server, port and stream") {
  const auto plain = read_stream_address("nats://db.example/events");
  REQUIRE(plain);
  CHECK(*plain
        == stream_address{
          .is_secure = false, .host = "db.example", .stream = "events"});
  CHECK(plain->server() == "nats://db.example:4222");
  const auto secure = read_stream_address("tls://[::1]:4333/A-b_3");
  REQUIRE(secure);
  CHECK(*secure
        == stream_address{
          .is_secure = true, .host = "::1", .port = 4333, .stream = "A-b_3"});
  CHECK(secure->server() == "tls://[::1]:4333");
}

TEST_CASE("what is not the URL of a stream is refused with the reason") {
  const std::string long_name(64, 'a');
  for (const auto& [url, why] :
       std::vector<std::pair<std::string, std::string>>{
         {"", "scheme"},
         {"http://a/b", "scheme"},
         {"nats://a", "stream is missing"},
         {"nats://a/", "the name of a stream"},
         {"nats://a/b.c", "the name of a stream"},
         {"nats://a/b/c", "the name of a stream"},
         {"nats://a/" + long_name, "the name of a stream"},
         {"nats:///b", "the host"},
         {"nats://a b/c", "the host"},
         {"nats://a:0/b", "the port"},
         {"nats://a:65536/b", "the port"},
         {"nats://a:/b", "the port"},
         {"nats://a:1x/b", "the port"},
         {"nats://[::1/b", "]"},
         {"nats://[::1]4222/b", "the port"}}) {
    INFO(url);
    const auto read = read_stream_address(url);
    REQUIRE(!read);
    CHECK(read.error().rule == "events_to");
    CHECK(read.error().message.find(why) != std::string::npos);
  }
}

TEST_CASE("a password in the URL of a stream is refused and not repeated") {
  const auto read = read_stream_address("nats://ana:hush@a/b");
  REQUIRE(!read);
  CHECK(read.error().message.find("--events-credentials") != std::string::npos);
  CHECK(to_string(read.error()).find("hush") == std::string::npos);
}
