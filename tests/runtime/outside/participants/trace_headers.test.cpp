#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/runtime/outside/participants/trace_headers.hpp>

using namespace convene;

namespace {

using texts = std::vector<std::string>;

const protocol::trace_context both{.traceparent = "00-1-2-01",
                                   .tracestate = R"(a="b\)"};

} // namespace

TEST_CASE("a request has the trace as its headers") {
  host::http_request request;
  host::add_trace_headers(request, {});
  CHECK(request.headers.empty());
  host::add_trace_headers(request, {.traceparent = "00-1-2-01"});
  REQUIRE(request.headers.size() == 1);
  CHECK(request.headers[0].name == "traceparent");
  CHECK(request.headers[0].value == "00-1-2-01");
  host::add_trace_headers(request, both);
  REQUIRE(request.headers.size() == 3);
  CHECK(request.headers[2].name == "tracestate");
  CHECK(request.headers[2].value == both.tracestate);
}

TEST_CASE("a program's variables name its own trace, and no other") {
  texts all{"A=b", "TRACEPARENT=old", "TRACESTATE=old"};
  host::add_trace_variables(all, {});
  CHECK(all.size() == 3);
  host::add_trace_variables(all, {.traceparent = "00-1-2-01"});
  CHECK(all == texts{"A=b", "TRACEPARENT=00-1-2-01"});
  host::add_trace_variables(all, both);
  CHECK(
    all
    == texts{"A=b", "TRACEPARENT=00-1-2-01", "TRACESTATE=" + both.tracestate});
}

TEST_CASE("a line has the trace as its first members") {
  const std::string request = R"({"convene":"1"})";
  CHECK(host::with_trace(request, {}) == request);
  const auto made = boost::json::parse(host::with_trace(request, both));
  CHECK(made.at("convene") == "1");
  CHECK(made.at("traceparent").as_string() == both.traceparent);
  CHECK(made.at("tracestate").as_string() == both.tracestate);
  CHECK(host::with_trace(request, {.traceparent = "00-1-2-01"})
        == R"({"traceparent":"00-1-2-01","convene":"1"})");
}
