#pragma once

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/server/session_api/session_routes.hpp>
#include <runtime/log/event_log/files.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The session API without a network: endpoints called as a server calls them.
namespace convene::tests {

namespace json = boost::json;
using server::request;
using server::response;

/// Long enough for anything that happens; nothing waits that long otherwise.
inline constexpr std::chrono::seconds at_the_latest{120};

/// An answer that may come later.
class awaited_answer final : public server::responder::target {
public:
  void answer(response what) override {
    const std::lock_guard held{mutex_};
    if (!answer_)
      answer_ = std::move(what);
    changed_.notify_all();
  }

  void answer_after(std::chrono::milliseconds time,
                    std::function<response()> make) override {
    const std::lock_guard held{mutex_};
    time_ = time;
    make_ = std::move(make);
    changed_.notify_all();
  }

  response get() {
    std::unique_lock held{mutex_};
    REQUIRE(changed_.wait_for(held, at_the_latest,
                              [this] { return answer_.has_value(); }));
    return *answer_;
  }

  [[nodiscard]] bool is_there() {
    const std::lock_guard held{mutex_};
    return answer_.has_value();
  }

  /// Waits until the endpoint has said what to answer in the end, and how long
  /// it waits.
  std::chrono::milliseconds limit() {
    std::unique_lock held{mutex_};
    REQUIRE(changed_.wait_for(held, at_the_latest,
                              [this] { return time_.has_value(); }));
    return *time_;
  }

  /// That time has passed.
  void expire() {
    std::function<response()> make;
    {
      const std::lock_guard held{mutex_};
      make = std::move(make_);
    }
    if (make)
      answer(make());
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<response> answer_;
  std::optional<std::chrono::milliseconds> time_;
  std::function<response()> make_;
};

/// Reads a stream as a server does, part by part.
class stream_reader {
public:
  explicit stream_reader(std::shared_ptr<server::stream_source> from)
    : from_{std::move(from)} {}

  /// What is there without waiting; sets `ended`.
  std::string now(std::size_t bytes_max = 4096) {
    auto part = from_->read(bytes_max, [state = state_] {
      const std::lock_guard held{state->mutex};
      state->more = true;
      state->changed.notify_all();
    });
    ended = part.is_last;
    return std::move(part.bytes);
  }

  /// The next bytes, or nothing at the end.
  std::string next(std::size_t bytes_max = 4096) {
    for (;;) {
      {
        const std::lock_guard held{state_->mutex};
        state_->more = false;
      }
      auto bytes = now(bytes_max);
      if (!bytes.empty() || ended)
        return bytes;
      std::unique_lock held{state_->mutex};
      REQUIRE(state_->changed.wait_for(held, at_the_latest,
                                       [this] { return state_->more; }));
    }
  }

  std::string rest() {
    std::string all;
    while (!ended)
      all += next();
    return all;
  }

  bool ended = false;

private:
  struct shared {
    std::mutex mutex;
    std::condition_variable changed;
    bool more = false;
  };

  std::shared_ptr<server::stream_source> from_;
  std::shared_ptr<shared> state_ = std::make_shared<shared>();
};

inline server::caller anybody() {
  return {
    .scopes = {"runs:read", "runs:create", "runs:cancel", "approvals:respond"}};
}

/// A server's sessions on a folder, and its endpoints.
class api {
public:
  explicit api(std::filesystem::path data,
               convene::runtime_options runtime = {.threads = 2},
               server::share_limits shares = {})
    : host_{open(std::move(data), std::move(runtime), shares)},
      routes_{server::session_routes(*host_)} {}

  using target = std::shared_ptr<awaited_answer>;

  /// `path` with its query; headers by name in lower case.
  target begin(std::string method, std::string_view path, std::string body = {},
               std::map<std::string, std::string, std::less<>> headers = {},
               server::caller by = anybody()) {
    request made{.id = "r1",
                 .method = std::move(method),
                 .headers = std::move(headers),
                 .body = std::move(body),
                 .by = std::move(by)};
    const auto mark = path.find('?');
    made.path = path.substr(0, mark);
    for (auto rest = mark == path.npos ? "" : path.substr(mark + 1);
         !rest.empty();) {
      const auto one = rest.substr(0, rest.find('&'));
      rest.remove_prefix(std::min(one.size() + 1, rest.size()));
      const auto equals = one.find('=');
      made.query.emplace(one.substr(0, equals), one.substr(equals + 1));
    }
    const auto* route = find(made);
    REQUIRE(route != nullptr);
    last_scope = route->scope;
    auto to = std::make_shared<awaited_answer>();
    route->call(made, server::responder{to});
    return to;
  }

  response call(std::string method, std::string_view path,
                std::string body = {},
                std::map<std::string, std::string, std::less<>> headers = {},
                server::caller by = anybody()) {
    return begin(std::move(method), path, std::move(body), std::move(headers),
                 std::move(by))
      ->get();
  }

  /// The body of an answer with this status.
  json::value get(std::string_view path, unsigned status = 200) {
    return body_of(call("GET", path), status);
  }
  json::value post(std::string_view path, std::string body = {},
                   unsigned status = 200) {
    return body_of(call("POST", path, std::move(body)), status);
  }

  static json::value body_of(const response& answer, unsigned status) {
    INFO(answer.body);
    REQUIRE(answer.status == status);
    auto whole = answer.body;
    if (answer.stream != nullptr)
      whole += stream_reader{answer.stream}.rest();
    return json::parse(whole);
  }

  static std::string code_of(const json::value& body) {
    return std::string{body.at("error").at("code").as_string()};
  }

  /// Creates a session and returns its id.
  std::string create(const std::string& scenario) {
    const auto made = post("/v1/sessions", R"({"scenario":)" + scenario + "}",
                           201);
    return std::string{made.at("session_id").as_string()};
  }

  /// Reads the session's events until its end; returns them.
  json::array events_to_the_end(const std::string& id) {
    json::array all;
    for (;;) {
      const auto page
        = get("/v1/sessions/" + id
              + "/events?wait_ms=60000&after=" + std::to_string(all.size()));
      for (const auto& each : page.at("events").as_array())
        all.push_back(each);
      if (page.at("ended").as_bool())
        return all;
    }
  }

  /// Waits for the next open question; returns it.
  json::object question(const std::string& query = "") {
    const auto page = get("/v1/requests?wait_ms=60000" + query);
    REQUIRE(!page.at("requests").as_array().empty());
    return page.at("requests").as_array().front().as_object();
  }

  [[nodiscard]] server::session_host& host() {
    return *host_;
  }

  std::string last_scope;

private:
  static std::unique_ptr<server::session_host>
  open(std::filesystem::path data, convene::runtime_options runtime,
       server::share_limits shares) {
    auto opened = server::session_host::open({.data = std::move(data),
                                              .runtime = std::move(runtime),
                                              .shares = shares});
    if (!opened)
      FAIL(to_string(opened.error()));
    return *std::move(opened);
  }

  static std::vector<std::string> parts_of(std::string_view path) {
    std::vector<std::string> parts;
    while (!path.empty()) {
      path.remove_prefix(1);
      parts.emplace_back(path.substr(0, path.find('/')));
      path.remove_prefix(parts.back().size());
    }
    return parts;
  }

  const server::route* find(request& made) const {
    const auto parts = parts_of(made.path);
    for (const auto& each : routes_) {
      const auto pattern = parts_of(each.pattern);
      if (each.method != made.method || pattern.size() != parts.size())
        continue;
      made.parameters.clear();
      bool fits = true;
      for (std::size_t i = 0; i < parts.size() && fits; ++i)
        if (pattern[i].starts_with('{'))
          made.parameters[pattern[i].substr(1, pattern[i].size() - 2)]
            = parts[i];
        else
          fits = pattern[i] == parts[i];
      if (fits)
        return &each;
    }
    return nullptr;
  }

  std::unique_ptr<server::session_host> host_;
  server::routes routes_;
};

/// Two agents say a word each, in this many rounds.
inline std::string two_agents(int rounds = 1, const std::string& id = "") {
  return R"({"convene":"1","collab":{)"
         + (id.empty() ? "" : R"("collab_id":")" + id + R"(",)")
         + R"("title":"Two","purpose":"Talk","mode":"round_robin",
    "participants":[
      {"participant_id":"a","kind":"agent","role_id":"writer"},
      {"participant_id":"b","kind":"agent","role_id":"reader"}]},
  "task":"Say something","session":{"rounds":)"
         + std::to_string(rounds) + R"(},
  "behaviours":{"*":{"type":"echo"}}})";
}

/// An agent drafts, a person reviews, as often as `rounds` says.
inline std::string with_person(int rounds = 1, const std::string& more = "") {
  return R"({"convene":"1","collab":{
    "title":"Review","purpose":"A person has the last word",
    "mode":"round_robin","participants":[
      {"participant_id":"writer","kind":"agent","role_id":"writer"},
      {"participant_id":"ana","kind":"human","role_id":"reviewer"}]},
  "task":"Write a line","session":{"rounds":)"
         + std::to_string(rounds) + more + R"(},
  "behaviours":{"ana":{"type":"human"},"writer":{"type":"script","turns":[
    {"content":"A line.","writes":[{"resource_type":"doc","resource_id":"line",
      "base_version":0,"op":"put","value":"A line."}]},
    {"content":"Another line."},{"content":"One more."}]}}})";
}

} // namespace convene::tests
