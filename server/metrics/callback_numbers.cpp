#include <convene/server/metrics/callback_numbers.hpp>

#include <cstdint>

namespace convene::server {
namespace {

void show_as(prometheus::Counter& from, std::uint64_t to) {
  from.Increment(static_cast<double>(to) - from.Value());
}

} // namespace

callback_numbers::callback_numbers(prometheus::Registry& registry)
  : calls_{prometheus::BuildCounter()
             .Name("convene_run_callback_calls_total")
             .Help("Calls that report the end of a run, by whether they were "
                   "accepted.")
             .Register(registry)},
    delivered_{calls_.Add({{"outcome", "delivered"}})},
    failed_{calls_.Add({{"outcome", "failed"}})},
    given_up_{prometheus::BuildCounter()
                .Name("convene_run_callbacks_given_up_total")
                .Help("Runs whose end could not be reported and is not tried "
                      "again.")
                .Register(registry)
                .Add({})},
    owed_{prometheus::BuildGauge()
            .Name("convene_run_callbacks_owed")
            .Help("Runs whose end is still to be reported.")
            .Register(registry)
            .Add({})} {}

void callback_numbers::show(const callback_counts& now) {
  show_as(delivered_, now.delivered);
  show_as(failed_, now.failed);
  show_as(given_up_, now.given_up);
  owed_.Set(static_cast<double>(now.owed));
}

} // namespace convene::server
