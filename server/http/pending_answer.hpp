#pragma once

#include <convene/server/http/response.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace convene::server {

/// Where a handler's answer goes: the first one to `done`, and 500 if there is
/// none at all.
class pending_answer : public responder::target,
                       public std::enable_shared_from_this<pending_answer> {
public:
  using taker = std::function<void(response)>;
  /// Calls a function after a time, unless the reader has gone.
  using timer
    = std::function<void(std::chrono::milliseconds, std::function<void()>)>;

  pending_answer(taker done, timer later, error_form errors)
    : done_{std::move(done)}, later_{std::move(later)}, errors_{errors} {}
  pending_answer(const pending_answer&) = delete;
  pending_answer& operator=(const pending_answer&) = delete;
  ~pending_answer() override;

  void answer(response what) override;
  void answer_after(std::chrono::milliseconds time,
                    std::function<response()> make) override;

  /// 500, which says nothing of the reason.
  [[nodiscard]] response fault() const;

private:
  taker done_;
  timer later_;
  error_form errors_;
  std::atomic<bool> is_answered_ = false;
};

} // namespace convene::server
