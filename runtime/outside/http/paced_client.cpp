#include <convene/runtime/outside/http/paced_client.hpp>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace convene::host {
namespace {

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
           std::chrono::steady_clock::now().time_since_epoch())
    .count();
}

void answer_with(const when_answered& done, std::string_view code,
                 std::string message, bool transient) {
  http_answer answer;
  answer.error = {.code = std::string{code},
                  .message = std::move(message),
                  .transient = transient};
  if (done)
    done(std::move(answer));
}

} // namespace

/// Outlives the client while a call is under way.
struct paced_client::shared_state
  : std::enable_shared_from_this<paced_client::shared_state> {
  /// One call, from waiting to its end.
  struct paced_call {
    http_request what;
    when_answered done;
    std::function<std::int64_t()> used;
    std::int64_t tokens = 0;
    std::int64_t deadline = 0;
    std::uint64_t number = 0; ///< in the provider's pace
    bool cancelled = false;
    bool begun = false;
    http_client::cancel_function cancel; ///< once it has begun
  };

  using call_pointer = std::shared_ptr<paced_call>;

  struct provider_queue {
    explicit provider_queue(const call_limits& limits) : pace(limits) {
      // nop
    }

    call_pace pace;
    std::deque<call_pointer> waiting;
    std::int64_t wakes_at = std::numeric_limits<std::int64_t>::max();
  };

  std::shared_ptr<http_client> by;
  std::mutex mutex;
  std::map<std::string, provider_queue, std::less<>> providers; ///< guarded
  bool stopped = false;                                         ///< guarded

  /// Begins what may begin; on any thread, without the lock.
  void pump(const std::string& provider);
  void wake_at(const std::string& provider, provider_queue& queue,
               std::int64_t at);
  void begin(const std::string& provider, const call_pointer& call);
  void ended(const std::string& provider, const call_pointer& call,
             http_answer got);
  void cancel(const std::string& provider, const call_pointer& call);
};

void paced_client::shared_state::wake_at(const std::string& provider,
                                         provider_queue& queue,
                                         std::int64_t at) {
  if (at >= queue.wakes_at)
    return;
  queue.wakes_at = at;
  const std::chrono::milliseconds delay{
    std::max<std::int64_t>(at - now_ms(), 0)};
  by->after(delay, [weak = weak_from_this(), provider] {
    if (const auto self = weak.lock())
      self->pump(provider);
  });
}

void paced_client::shared_state::pump(const std::string& provider) {
  std::vector<call_pointer> ready;
  std::vector<call_pointer> late;
  {
    const std::lock_guard lock{mutex};
    auto& queue = providers.find(provider)->second;
    const auto now = now_ms();
    if (queue.wakes_at <= now)
      queue.wakes_at = std::numeric_limits<std::int64_t>::max();
    std::erase_if(queue.waiting, [&](const auto& each) {
      if (each->deadline <= now)
        late.push_back(each);
      return each->deadline <= now;
    });
    while (!stopped && !queue.waiting.empty()) {
      const auto& next = queue.waiting.front();
      const auto wait = queue.pace.wait_ms(now, next->tokens);
      if (wait != 0) {
        if (wait > 0)
          wake_at(provider, queue, now + wait);
        break;
      }
      next->number = queue.pace.begin(now, next->tokens);
      next->begun = true;
      next->what.timeout_ms = next->deadline - now;
      ready.push_back(next);
      queue.waiting.pop_front();
    }
    auto first = std::numeric_limits<std::int64_t>::max();
    for (const auto& each : queue.waiting)
      first = std::min(first, each->deadline);
    if (!queue.waiting.empty())
      wake_at(provider, queue, first);
  }
  for (const auto& each : late)
    answer_with(each->done, "timed_out",
                provider
                  + ": the call waited for its turn until its time was over; "
                    "allow more calls or more time",
                true);
  for (const auto& each : ready)
    begin(provider, each);
}

void paced_client::shared_state::begin(const std::string& provider,
                                       const call_pointer& call) {
  auto cancel_it
    = by->start(std::move(call->what),
                [self = shared_from_this(), provider, call](http_answer got) {
                  self->ended(provider, call, std::move(got));
                });
  bool was_cancelled = false;
  {
    const std::lock_guard lock{mutex};
    was_cancelled = call->cancelled;
    call->cancel = cancel_it;
  }
  if (was_cancelled)
    cancel_it();
}

void paced_client::shared_state::ended(const std::string& provider,
                                       const call_pointer& call,
                                       http_answer got) {
  when_answered done;
  {
    const std::lock_guard lock{mutex};
    call->cancel = nullptr;
    // A cancelled call has given back its place.
    if (call->cancelled)
      return;
    call->cancelled = true;
    // Before `done`, which may try again.
    const bool pauses = got.status == 429 || got.status == 503
                        || got.status == 529;
    if (pauses && got.error.retry_after_ms > 0)
      providers.find(provider)->second.pace.pause(now_ms(),
                                                  got.error.retry_after_ms);
    done = std::exchange(call->done, nullptr);
  }
  if (done)
    done(std::move(got));
  const auto used = call->used ? call->used() : -1;
  {
    const std::lock_guard lock{mutex};
    providers.find(provider)->second.pace.end(call->number, used);
  }
  pump(provider);
}

void paced_client::shared_state::cancel(const std::string& provider,
                                        const call_pointer& call) {
  http_client::cancel_function cancel_it;
  {
    const std::lock_guard lock{mutex};
    if (call->cancelled)
      return;
    call->cancelled = true;
    auto& queue = providers.find(provider)->second;
    if (call->begun)
      queue.pace.end(call->number, -1);
    else
      std::erase(queue.waiting, call);
    cancel_it = std::exchange(call->cancel, nullptr);
  }
  if (cancel_it)
    cancel_it();
  pump(provider);
}

paced_client::paced_client(std::shared_ptr<http_client> by)
  : state_(std::make_shared<shared_state>()) {
  state_->by = std::move(by);
}

paced_client::~paced_client() {
  std::vector<shared_state::call_pointer> waiting;
  {
    const std::lock_guard lock{state_->mutex};
    state_->stopped = true;
    for (auto& [name, queue] : state_->providers)
      for (auto& each : std::exchange(queue.waiting, {}))
        waiting.push_back(std::move(each));
  }
  for (const auto& each : waiting)
    answer_with(each->done, "client_stopped", "the HTTP client was stopped",
                false);
}

void paced_client::after(std::chrono::milliseconds delay,
                         std::function<void()> then) {
  const auto by = state_->by; // as in `start`
  by->after(delay, std::move(then));
}

http_client::cancel_function
paced_client::start(std::string_view provider, const call_limits& limits,
                    std::int64_t tokens, http_request what, when_answered done,
                    std::function<std::int64_t()> used) {
  auto call = std::make_shared<shared_state::paced_call>();
  call->deadline = now_ms() + std::max<std::int64_t>(what.timeout_ms, 1);
  call->what = std::move(what);
  call->done = std::move(done);
  call->used = std::move(used);
  call->tokens = tokens;
  std::string name{provider};
  // Once the call has begun, its answer may come and destroy the client.
  const auto state = state_;
  bool is_full = false;
  {
    const std::lock_guard lock{state->mutex};
    auto& queue = state->providers
                    .try_emplace(name, shared_state::provider_queue{limits})
                    .first->second;
    is_full = static_cast<std::int64_t>(queue.waiting.size()) >= limits.queue;
    if (!is_full)
      queue.waiting.push_back(call);
  }
  if (is_full) {
    state->by->after(std::chrono::milliseconds{0}, [call, name, limits] {
      answer_with(call->done, "provider_queue_full",
                  name + ": " + std::to_string(limits.queue)
                    + " calls are waiting already; allow more at once",
                  true);
    });
    return [] {};
  }
  state->pump(name);
  return [weak = std::weak_ptr<shared_state>{state}, name, call] {
    if (const auto to = weak.lock())
      to->cancel(name, call);
  };
}

} // namespace convene::host
