#include <convene/protocol/documents/reply.hpp>

#include <limits>

namespace convene::protocol {
namespace {

std::int64_t add(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum))
    return a > 0 ? std::numeric_limits<std::int64_t>::max()
                 : std::numeric_limits<std::int64_t>::min();
  return sum;
}

} // namespace

usage operator+(const usage& a, const usage& b) noexcept {
  return {.prompt_tokens = add(a.prompt_tokens, b.prompt_tokens),
          .completion_tokens = add(a.completion_tokens, b.completion_tokens),
          .cost_microusd = add(a.cost_microusd, b.cost_microusd)};
}

std::int64_t total_tokens(const usage& of) noexcept {
  return add(of.prompt_tokens, of.completion_tokens);
}

} // namespace convene::protocol
