#include <convene/lab/mock_endpoint/paced_answer.hpp>

#include <utility>

namespace convene::server {
namespace {

using host::mock::failure;
using kind = host::mock::stream_step::kind;

std::optional<std::size_t> cut_of(const host::mock::answer& what) {
  if (what.fails && what.fails->how == failure::kind::cut)
    return what.fails->cut_after_bytes;
  return std::nullopt;
}

host::mock::answer pace_of(const host::mock::answer& what) {
  host::mock::answer out;
  out.first_token_ms = what.first_token_ms;
  out.tokens_per_second = what.tokens_per_second;
  return out;
}

} // namespace

std::chrono::microseconds due_after(const host::mock::answer& what,
                                    std::int64_t token) {
  constexpr std::int64_t us_per_s = 1'000'000;
  const auto rest = what.tokens_per_second == 0
                      ? 0
                      : token * us_per_s / what.tokens_per_second;
  return std::chrono::milliseconds{what.first_token_ms}
         + std::chrono::microseconds{rest};
}

cut_body::cut_body(std::string body, std::size_t bytes)
  : body_{std::move(body)} {
  if (bytes < body_.size())
    body_.resize(bytes);
}

stream_source::part cut_body::read(std::size_t, std::function<void()>) {
  if (std::exchange(is_sent_, true) || body_.empty())
    return {.is_cut = true};
  return {.bytes = std::move(body_)};
}

paced_answer::paced_answer(host::mock::asked_for by, host::mock::answer what,
                           clock::time_point begun, std::shared_ptr<void> held)
  : cut_after_{cut_of(what)}, pace_{pace_of(what)}, begun_{begun},
    events_{std::move(by), std::move(what)}, held_{std::move(held)} {}

stream_source::part paced_answer::read(std::size_t bytes_max,
                                       std::function<void()>) {
  if (is_cut_)
    return {.is_cut = true};
  const auto now = clock::now();
  const auto& steps = events_.steps();
  part out;
  while (at_ < steps.size() && out.bytes.size() < bytes_max) {
    // What stands between tokens goes with the one before.
    const bool is_timed = steps[at_].what == kind::start
                          || steps[at_].what == kind::piece;
    const auto due = begun_ + due_after(pace_, token_);
    if (is_timed && due > now) {
      if (out.bytes.empty())
        out.again_after
          = std::chrono::ceil<std::chrono::milliseconds>(due - now);
      return out;
    }
    auto bytes = events_.bytes(steps[at_]);
    if (cut_after_ && sent_ + bytes.size() > *cut_after_) {
      is_cut_ = true;
      out.is_cut = out.bytes.empty();
      return out;
    }
    sent_ += bytes.size();
    out.bytes += bytes;
    token_ += steps[at_].what == kind::piece ? 1 : 0;
    ++at_;
  }
  out.is_last = at_ == steps.size();
  return out;
}

} // namespace convene::server
