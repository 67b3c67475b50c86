#include <convene/session/requests/broadcast_round.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace convene::session {

void broadcast_round::open(const protocol::uuid& id, std::uint32_t round,
                           std::uint32_t targets, double quorum,
                           bool ends_early, std::string task) {
  // The subtraction keeps 0.66 * 50 from asking for 34.
  const auto share = std::ceil(quorum * targets - 1e-9);
  open_
    = open_broadcast{.id = id,
                     .round = round,
                     .targets = targets,
                     .needed = std::max(1U, static_cast<std::uint32_t>(share)),
                     .ends_early = ends_early,
                     .task = std::move(task)};
  open_->responses.reserve(targets);
}

void broadcast_round::note(response&& what, bool counts) {
  ++open_->answered;
  open_->counted += counts ? 1 : 0;
  open_->responses.push_back(std::move(what));
}

void broadcast_round::close() {
  responses_ = std::move(open_->responses);
  missed_ = {};
  if (open_->counted < open_->needed)
    missed_ = {open_->counted, open_->needed};
  open_.reset();
}

} // namespace convene::session
