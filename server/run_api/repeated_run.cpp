#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/server/run_api/repeated_run.hpp>

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace convene::server {
namespace {

constexpr std::chrono::hours kept_for{24}; // as answers in memory are

bool is_recent(protocol::timestamp_ms began) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return now - std::chrono::milliseconds{began} < kept_for;
}

/// Whether the run was started by this very request.
bool is_same(const protocol::run_started& began, const run_order& order) {
  return began.workflow_id == order.workflow_id
         && began.inputs == order.how.inputs
         && began.configurable == order.how.configurable
         && began.tags == order.how.tags && began.metadata == order.how.metadata
         && began.callback_digest == order.how.callback_digest;
}

/// What is hashed of a key and its caller; nothing: there is no key.
std::optional<std::string> text_of_key(const request& from) {
  const auto key = from.header("idempotency-key");
  if (key.empty())
    return std::nullopt;
  auto text = "run" + std::string(1, '\0') + from.by.key_id;
  text.append(1, '\0').append(key);
  return text;
}

} // namespace

std::optional<std::string> callback_digest(const request& from,
                                           const run_order& order) {
  auto text = text_of_key(from);
  if (!text || !order.callback_url)
    return std::nullopt;
  text->append(1, '\0').append(*order.callback_url);
  return host::hex_digest_of(*text);
}

run_repetition find_repetition(run_host& host, const request& from,
                               const run_order& order) {
  const auto text = text_of_key(from);
  if (!text)
    return {};
  // A key that is used again after its time begins another run, whose id
  // follows from the one before.
  for (auto id = protocol::hashed_uuid(*text);;) {
    auto run = host.find(to_string(id));
    if (!run)
      return {.id = id};
    {
      const std::lock_guard lock{run->mutex};
      const auto& state = run->machine.state();
      // One that cannot be read is not begun again.
      if (!state.started || is_recent(state.started_at))
        return {.run = run,
                .is_other = state.started && !is_same(*state.started, order)};
    }
    id = protocol::hashed_uuid(*text + std::string(1, '\0') + to_string(id));
  }
}

} // namespace convene::server
