#include <convene/server/run_api/run_routes.hpp>
#include <server/runs/hosted.hpp>

#include <future>
#include <memory>
#include <thread>
#include <utility>

using namespace convene;
using namespace convene::tests;

namespace {

/// Who waits for an answer, and is told who has given it.
class waiting_reader final : public responder::target {
public:
  void answer(response what) override {
    made_.set_value({std::move(what), std::this_thread::get_id()});
  }
  void answer_after(std::chrono::milliseconds,
                    std::function<response()>) override {}

  auto get() {
    return made_.get_future().get();
  }

private:
  std::promise<std::pair<response, std::thread::id>> made_;
};

/// The endpoints of a host's runs.
class run_endpoints {
public:
  explicit run_endpoints(const hosting& of)
    : callbacks_{run_callbacks::open({.folder = of.data() / "callbacks"})},
      signer_{token_signer::open(of.data() / "secret")} {
    REQUIRE(callbacks_);
    REQUIRE(signer_);
    routes_ = run_routes(*of, **callbacks_, *signer_, {});
  }

  /// Asks for a run; returns the answer, and who has given it.
  [[nodiscard]] auto call(std::string_view method, std::string_view pattern,
                          const std::string& run, std::string body = {}) const {
    const auto reader = std::make_shared<waiting_reader>();
    for (const auto& each : routes_)
      if (each.method == method && each.pattern == pattern)
        each.call({.parameters = {{"id", run}},
                   .headers = {{"accept", "application/json"}},
                   .body = std::move(body),
                   .by = {.scopes = {"runs:read"}}},
                  responder{reader});
    return reader->get();
  }

private:
  protocol::result<std::shared_ptr<run_callbacks>> callbacks_;
  protocol::result<token_signer> signer_;
  routes routes_;
};

} // namespace

TEST_CASE("a run that ended long ago is not read on the thread of a connection "
          "but once, and by another one") {
  hosting host;
  const auto run = host.start("conformance-noop").run_id;
  const auto events = host.events_at_end(run);
  host.reopen();
  const run_endpoints api{host};
  const auto here = std::this_thread::get_id();
  const auto far = api.call("GET", "/v1/runs/{id}/events", run);
  CHECK(far.second != here);
  const auto near = api.call("GET", "/v1/runs/{id}/events", run);
  CHECK(near.second == here);
  CHECK(far.first.body == near.first.body);
  CHECK(far.first.body.find(events.back()) != std::string::npos);
  const auto none = api.call("GET", "/v1/runs/{id}/events", "none");
  CHECK(none.first.status == 404);
  CHECK(none.second == here);
}

TEST_CASE("a run that ended long ago can be forked") {
  hosting host;
  const auto run = host.start("conformance-noop").run_id;
  host.events_at_end(run);
  host.reopen();
  const run_endpoints api{host};
  const auto made = api.call("POST", "/v1/runs/{id}:fork", run,
                             R"({"fromSeq":0,"mode":"replay"})");
  INFO(made.first.body);
  CHECK(made.first.status == 201);
}

TEST_CASE("more runs than may wait to be read are refused") {
  hosting host;
  const auto run = host.start("conformance-noop").run_id;
  host.events_at_end(run);
  host.reopen();
  const run_endpoints api{host};
  std::promise<void> end;
  const auto wait = [over = end.get_future().share()] { over.wait(); };
  std::size_t jobs = 0;
  while (host->do_apart(wait))
    ++jobs;
  CHECK(jobs > run_host::apart_waiting_max);
  CHECK(api.call("GET", "/v1/runs/{id}/events", run).first.status == 429);
  end.set_value();
}
