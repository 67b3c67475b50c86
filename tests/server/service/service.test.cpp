#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/server/service/caller_route.hpp>
#include <convene/server/service/folder_probe.hpp>
#include <convene/server/service/health_routes.hpp>
#include <convene/server/service/openapi.hpp>
#include <runtime/log/event_log/files.hpp>

#include <algorithm>
#include <chrono>
#include <future>
#include <set>

using namespace convene::server;
using convene::tests::scratch_folder;
namespace json = boost::json;

namespace {

/// Keeps the answer of a handler that answers at once.
class kept_answer : public responder::target {
public:
  void answer(response what) override {
    got = std::move(what);
  }
  void answer_after(std::chrono::milliseconds,
                    std::function<response()>) override {}
  response got;
};

response answer_of(const route& to) {
  const auto kept = std::make_shared<kept_answer>();
  to.call({}, responder{kept});
  return kept->got;
}

const routes& sample() {
  static const routes all{
    {.method = "GET",
     .pattern = "/v1/runs/{id}",
     .scope = "runs:read",
     .errors = error_form::openwop},
    {.method = "POST",
     .pattern = "/v1/runs/{id}:fork",
     .scope = "runs:create",
     .errors = error_form::openwop},
    {.method = "GET", .pattern = "/v1/sessions", .about = "All of them"},
    {.method = "POST",
     .pattern = "/v1/sessions/{id}/requests/{token}",
     .repeatable_by_key = false}};
  return all;
}

/// That there are references, and what they refer to.
void check_references(const json::object& document) {
  const auto text = json::serialize(document);
  const std::string mark = R"("$ref":"#)";
  std::size_t found = 0;
  for (auto at = text.find(mark); at != text.npos;
       at = text.find(mark, at + 1), ++found) {
    const auto begin = at + mark.size();
    const auto place = text.substr(begin, text.find('"', begin) - begin);
    boost::system::error_code missing;
    const json::value whole = document;
    INFO(place);
    CHECK(whole.find_pointer(place, missing) != nullptr);
    // To a component, not into one: generators follow no other.
    CHECK(std::count(place.begin(), place.end(), '/') == 3);
  }
  CHECK(found > 0);
}

} // namespace

TEST_CASE("a folder on a file system that is full is not writable") {
  const scratch_folder folder;
  CHECK(why_not_writable(folder.path()).empty());
  CHECK(std::filesystem::is_empty(folder.path()));
  CHECK_THAT(why_not_writable(folder / "missing"),
             Catch::Contains("No such file"));
  CHECK_THAT(why_not_writable("/proc"), Catch::Contains("nothing can be"));
}

TEST_CASE("a folder is looked at once a second, however many ask") {
  const scratch_folder folder;
  folder_probe probe{folder.path()};
  const auto ask = [&probe] {
    std::promise<std::string> told;
    probe.ask([&told](const std::string& why) { told.set_value(why); });
    return told.get_future().get();
  };
  CHECK(ask().empty());
  const auto begun = std::chrono::steady_clock::now();
  std::filesystem::remove_all(folder.path());
  while (ask().empty())
    REQUIRE(std::chrono::steady_clock::now() - begun < std::chrono::minutes{1});
  std::filesystem::create_directory(folder.path());
  while (!ask().empty())
    REQUIRE(std::chrono::steady_clock::now() - begun < std::chrono::minutes{2});
}

TEST_CASE("a server that stops lives, and is not ready") {
  bool ready = true;
  const auto all = health_routes(
    [&ready](const std::function<void(const std::string&)>& then) {
      then(ready ? "" : "the server stops");
    });
  REQUIRE(all.size() == 2);
  CHECK(answer_of(all[0]).status == 200);
  CHECK(answer_of(all[1]).status == 200);
  ready = false;
  CHECK(answer_of(all[0]).status == 200);
  CHECK(answer_of(all[1]).status == 503);
}

TEST_CASE("the OpenAPI document has each endpoint as it is") {
  const auto document = openapi_of(sample(), "1.2.3");
  CHECK(document.at("openapi") == "3.1.0");
  CHECK(document.at("info").at("version") == "1.2.3");
  const auto& paths = document.at("paths").as_object();
  CHECK(paths.size() == 4);
  const auto& fork = paths.at("/v1/runs/{id}:fork").at("post");
  CHECK(fork.at("security").at(0).at("key").at(0) == "runs:create");
  CHECK(fork.at("parameters").as_array().size() == 2);
  CHECK(fork.at("parameters").at(0).at("name") == "id");
  CHECK(fork.at("responses")
          .at("403")
          .at("content")
          .at("application/json")
          .at("schema")
          .at("$ref")
        == "#/components/schemas/OpenWopError");
  // What schemas/api says goes before what the route says.
  CHECK(paths.at("/v1/sessions").at("get").at("summary")
        == "List sessions, in the order in which they began");
  CHECK(paths.at("/v1/sessions").at("get").at("security")
        == json::value(json::array{})); // no key
  CHECK(document.at("servers").at(0).at("url") == "/");
  const auto& reply = paths.at("/v1/sessions/{id}/requests/{token}").at("post");
  REQUIRE(reply.at("parameters").as_array().size() == 2);
  CHECK(reply.at("parameters").at(1).at("name") == "token");
}

TEST_CASE(
  "operations of the OpenAPI document have names of their own, and what "
  "they refer to is there") {
  const auto document = openapi_of(sample(), "1");
  std::set<std::string> names;
  for (const auto& [path, methods] : document.at("paths").as_object())
    for (const auto& [method, operation] : methods.as_object())
      CHECK(names.insert(std::string{operation.at("operationId").as_string()})
              .second);
  check_references(document);
}

TEST_CASE("the OpenAPI document has the bodies that schemas/api describes") {
  const auto document
    = openapi_of({{.method = "POST", .pattern = "/v1/sessions"},
                  {.method = "GET", .pattern = "/v1/sessions/{id}/events"},
                  {.method = "GET", .pattern = "/page/any.css"},
                  {.method = "POST", .pattern = "/v1/sessions/{id}/stop"}},
                 "1");
  check_references(document);
  const auto& paths = document.at("paths").as_object();
  const auto& create = paths.at("/v1/sessions").at("post");
  CHECK(create.at("requestBody").at("required") == true);
  CHECK(create.at("responses").as_object().contains("201"));
  CHECK_FALSE(create.at("responses").as_object().contains("2XX"));
  const auto& scenario = create.at("requestBody")
                           .at("content")
                           .at("application/json")
                           .at("schema")
                           .at("properties")
                           .at("scenario");
  CHECK(scenario.at("$ref") == "#/components/schemas/convene-scenario");
  const auto& events = paths.at("/v1/sessions/{id}/events").at("get");
  CHECK(events.at("parameters").at(1).at("name") == "after");
  CHECK(events.at("parameters").at(1).at("in") == "query");
  const auto& answers = events.at("responses").as_object();
  CHECK(answers.at("200").at("content").as_object().size() == 2);
  CHECK_FALSE(answers.at("204").as_object().contains("content"));
  const auto& stop = paths.at("/v1/sessions/{id}/stop").at("post");
  CHECK(stop.at("requestBody").at("required") == false);
  CHECK_FALSE(paths.contains("/page/any.css"));
  CHECK(create.at("summary") == "Create a session");
  // An embedded schema as a component has its place there, and no other.
  const auto& event
    = document.at("components").at("schemas").at("convene-native-event");
  CHECK_FALSE(event.as_object().contains("$id"));
  CHECK(json::serialize(document).find("\"urn:") == std::string::npos);
}

TEST_CASE("the OpenAPI document is served under both names and lists itself") {
  const auto all = openapi_routes(sample(), "1");
  REQUIRE(all.size() == 2);
  const auto body = answer_of(all[0]).body;
  CHECK(body == answer_of(all[1]).body);
  const auto document = json::parse(body);
  CHECK(document.at("paths").as_object().contains("/v1/openapi.json"));
  CHECK(document.at("paths").as_object().contains("/v1/sessions"));
}

TEST_CASE("a caller is told what their key allows, and whose it is") {
  const auto kept = std::make_shared<kept_answer>();
  caller_route().call({.by = {.key_id = "key-1",
                              .scopes = {"approvals:respond"},
                              .session_id = "s",
                              .participant_id = "ana"}},
                      responder{kept});
  CHECK(json::parse(kept->got.body)
        == json::value{{"scopes", {"approvals:respond"}},
                       {"session_id", "s"},
                       {"participant_id", "ana"}});
  CHECK(json::parse(answer_of(caller_route()).body)
        == json::value{{"scopes", json::array{}}});
}
