#include <convene/protocol/json/json_text.hpp>
#include <convene/server/mcp/endpoint_calls.hpp>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace convene::server {
namespace {

using clock = std::chrono::steady_clock;

/// An answer that may come later, and who waits for it.
struct awaited {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<response> answer; ///< guarded by the mutex, like the rest
  std::function<response()> make; ///< the answer once `until` has passed
  clock::time_point until = clock::time_point::max();
  bool is_dropped = false; ///< no answer can come any more
};

class awaited_target final : public responder::target {
public:
  explicit awaited_target(std::shared_ptr<awaited> to) : to_{std::move(to)} {}
  awaited_target(const awaited_target&) = delete;
  awaited_target& operator=(const awaited_target&) = delete;
  ~awaited_target() override {
    const std::lock_guard held{to_->mutex};
    to_->is_dropped = true;
    to_->changed.notify_all();
  }

  void answer(response what) override {
    const std::lock_guard held{to_->mutex};
    if (!to_->answer)
      to_->answer = std::move(what);
    to_->changed.notify_all();
  }

  void answer_after(std::chrono::milliseconds time,
                    std::function<response()> make) override {
    const std::lock_guard held{to_->mutex};
    to_->until = clock::now() + time;
    to_->make = std::move(make);
    to_->changed.notify_all();
  }

  [[nodiscard]] bool is_answered() const override {
    const std::lock_guard held{to_->mutex};
    return to_->answer.has_value();
  }

private:
  const std::shared_ptr<awaited> to_;
};

/// Whether there is something to return.
bool is_over(const awaited& one) {
  return one.answer || one.is_dropped || clock::now() >= one.until;
}

/// The answer; nothing: the endpoint gave none.
std::optional<response> await(awaited& one) {
  std::unique_lock held{one.mutex};
  while (!is_over(one)) {
    if (one.until == clock::time_point::max())
      one.changed.wait(held);
    else
      one.changed.wait_until(held, one.until);
  }
  if (one.answer || !one.make)
    return std::move(one.answer);
  auto make = std::move(one.make);
  held.unlock();
  return make();
}

endpoint_calls::answer failed(unsigned status, std::string_view code,
                              std::string_view message) {
  return {.status = status,
          .body = {{"error", {{"code", code}, {"message", message}}}}};
}

} // namespace

endpoint_calls::answer endpoint_calls::call(what is_called) const {
  auto found = router_.find(is_called.method, is_called.path);
  if (found.to == nullptr)
    return failed(404, "not_found", "unknown endpoint");
  const auto state = std::make_shared<awaited>();
  found.to->call({.id = "mcp",
                  .method = std::move(is_called.method),
                  .parameters = std::move(found.parameters),
                  .query = std::move(is_called.query),
                  .body = std::move(is_called.body),
                  .by = {.key_id = std::move(is_called.key)}},
                 responder{std::make_shared<awaited_target>(state)});
  const auto given = await(*state);
  if (!given || given->stream != nullptr)
    return failed(500, "internal_error",
                  "the server failed; its diagnostic log says why");
  if (given->body.size() > bytes_max_)
    return failed(413, "answer_bytes_max",
                  "the answer has " + std::to_string(given->body.size())
                    + " bytes, more than the " + std::to_string(bytes_max_)
                    + " that a call returns: read the session's documents one "
                      "by one, or its events page by page");
  auto value = protocol::parse_json(given->body);
  if (!value || !value->is_object())
    return failed(500, "internal_error", "the server failed");
  return {.status = given->status, .body = std::move(value->get_object())};
}

} // namespace convene::server
