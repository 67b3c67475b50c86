#include <convene/server/metrics/participant_numbers.hpp>

#include <cstdint>

namespace convene::server {

using prometheus::BuildCounter;
using prometheus::BuildGauge;

participant_numbers::participant_numbers(prometheus::Registry& registry)
  : links_{BuildGauge()
             .Name("convene_remote_participants")
             .Help(
               "Participants of this node's sessions on other nodes (away), "
               "and of other nodes' sessions here (here).")
             .Register(registry)},
    away_{links_.Add({{"where", "away"}})}, here_{links_.Add(
                                              {{"where", "here"}})},
    turns_{
      BuildCounter()
        .Name("convene_remote_turns_total")
        .Help("Turns of this node's sessions that other nodes answered, or "
              "that failed because of them (lost); and turns that were "
              "begun here for other nodes (hosted).")
        .Register(registry)},
    answered_{turns_.Add({{"outcome", "answered"}})},
    lost_{turns_.Add({{"outcome", "lost"}})}, hosted_{turns_.Add(
                                                {{"outcome", "hosted"}})},
    refused_{BuildCounter()
               .Name("convene_remote_messages_refused_total")
               .Help("Messages of other nodes that were refused: they were too "
                     "long, unreadable, or did not prove their turn.")
               .Register(registry)
               .Add({})} {}

void participant_numbers::show(const participant_counts& now) {
  const auto raise = [](prometheus::Counter& which, std::uint64_t to) {
    which.Increment(static_cast<double>(to) - which.Value());
  };
  away_.Set(static_cast<double>(now.away));
  here_.Set(static_cast<double>(now.here));
  raise(answered_, now.turns_away);
  raise(lost_, now.turns_lost);
  raise(hosted_, now.turns_here);
  raise(refused_, now.refused);
}

} // namespace convene::server
