#include <convene/server/metrics/peer_numbers.hpp>

#include <cstdint>

namespace convene::server {

peer_numbers::peer_numbers(prometheus::Registry& registry)
  : requests_{prometheus::BuildCounter()
                .Name("convene_peer_requests_total")
                .Help("Requests that were passed on to other nodes, by what "
                      "became of them; of answered ones some may be cut.")
                .Register(registry)},
    answered_{requests_.Add({{"outcome", "answered"}})},
    unreachable_{requests_.Add({{"outcome", "unreachable"}})},
    elsewhere_{requests_.Add({{"outcome", "elsewhere"}})},
    cut_{requests_.Add({{"outcome", "cut"}})},
    handshakes_refused_{
      prometheus::BuildCounter()
        .Name("convene_peer_handshakes_refused_total")
        .Help("Connections to the peer port that were refused, for example for "
              "a wrong certificate.")
        .Register(registry)
        .Add({})} {}

void peer_numbers::show(const peer_counts& now) {
  const auto show_as = [](prometheus::Counter& from, std::uint64_t to) {
    from.Increment(static_cast<double>(to) - from.Value());
  };
  show_as(answered_, now.answered);
  show_as(unreachable_, now.unreachable);
  show_as(elsewhere_, now.elsewhere);
  show_as(cut_, now.cut);
  show_as(handshakes_refused_, now.handshakes_refused);
}

} // namespace convene::server
