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
  /// Calls a function after a time, or before, if a GET's reader has gone.
  /// `for_news`: a POST's, too.
  using timer = std::function<void(std::chrono::milliseconds,
                                   std::function<void()>, bool for_news)>;

  pending_answer(taker done, timer later, error_form errors)
    : done_{std::move(done)}, later_{std::move(later)}, errors_{errors} {}
  pending_answer(const pending_answer&) = delete;
  pending_answer& operator=(const pending_answer&) = delete;
  ~pending_answer() override;

  void answer(response what) override;
  void answer_after(std::chrono::milliseconds time,
                    std::function<response()> make) override;
  void answer_news_after(std::chrono::milliseconds time,
                         std::function<response()> make) override;

  [[nodiscard]] bool is_answered() const override {
    return is_answered_;
  }

  /// 500, which says nothing of the reason.
  [[nodiscard]] response fault() const;

private:
  void answer_later(std::chrono::milliseconds time,
                    std::function<response()> make, bool for_news);

  taker done_;
  timer later_;
  error_form errors_;
  std::atomic<bool> is_answered_ = false;
};

} // namespace convene::server
