#include <convene/server/run_api/run_routes.hpp>
#include <server/runs/hosted.hpp>

#include <algorithm>
#include <memory>
#include <thread>

using namespace convene;
using namespace convene::tests;

namespace {

/// A reader who has gone away: no time that it would wait for passes.
class gone_reader final : public responder::target {
public:
  void answer(response) override {}
  void answer_after(std::chrono::milliseconds,
                    std::function<response()>) override {}
};

handler poll_of(run_host& host, run_callbacks& callbacks,
                const token_signer& signer) {
  for (auto& each : run_routes(host, callbacks, signer, {}))
    if (each.pattern == "/v1/runs/{id}/events/poll")
      return std::move(each.call);
  FAIL("there is no such endpoint");
  return {};
}

} // namespace

TEST_CASE("who waited for a run's events and went away is not remembered for "
          "longer than it would have waited") {
  const hosting host;
  const auto callbacks
    = run_callbacks::open({.folder = host.data() / "callbacks"});
  const auto signer = token_signer::open(host.data() / "secret");
  REQUIRE(callbacks);
  REQUIRE(signer);
  const auto poll = poll_of(*host, **callbacks, *signer);
  const auto run = host.start("conformance-approval").run_id;
  const request asked{.parameters = {{"id", run}},
                      .query = {{"lastSequence",
                                 std::to_string(host.events(run).size() - 1)},
                                {"timeout", "1"}}};
  std::vector<std::weak_ptr<gone_reader>> readers;
  const auto come_and_go = [&] {
    auto reader = std::make_shared<gone_reader>();
    readers.emplace_back(reader);
    poll(asked, responder{std::move(reader)});
  };
  for (int i = 0; i < 16; ++i)
    come_and_go();
  const auto is_forgotten = [](const auto& each) { return each.expired(); };
  CHECK(std::ranges::none_of(readers, is_forgotten));
  std::this_thread::sleep_for(std::chrono::milliseconds{2'100});
  come_and_go();
  CHECK(std::ranges::count_if(readers, is_forgotten) == 16);
}
