#pragma once

#include <convene/server/http/host_rules.hpp>
#include <convene/server/http/kept_answers.hpp>
#include <convene/server/http/pending_answer.hpp>
#include <convene/server/http/request_rate.hpp>
#include <convene/server/http/router.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace convene::server {

/// Who a key belongs to; nothing: nobody.
using authenticator = std::function<std::optional<caller>(std::string_view)>;

struct dispatcher_options {
  routes endpoints;
  host_rules hosts;
  authenticator authenticate; ///< empty: nobody has to show a key
  caller anybody;             ///< who somebody without a key is then
  unsigned requests_per_second = 0;
  /// Shared by servers with the same endpoints; null: its own.
  std::shared_ptr<kept_answers> answers = {};
};

/// Decides what becomes of a request: a refusal, or a call of an endpoint.
/// Knows no socket. Thread-safe.
class dispatcher : public std::enable_shared_from_this<dispatcher> {
public:
  explicit dispatcher(dispatcher_options how);

  /// What is known of a request once its head is read.
  struct admission {
    request what;
    const route* to = nullptr; ///< null: `refused` is the answer
    response refused;
    error_form errors = error_form::native;
  };

  /// Everything that can be refused without the body, so that nobody without a
  /// key makes the server read one.
  [[nodiscard]] admission admit(const request_head& head,
                                std::string_view address, std::string id);

  /// Calls the endpoint. `done` gets one answer, on any thread.
  void call(admission admitted, pending_answer::taker done,
            pending_answer::timer later);

  /// The pattern of a route for metrics and logs; empty: none fits.
  [[nodiscard]] static std::string_view pattern_of(const admission& one) {
    return one.to == nullptr ? std::string_view{} : one.to->pattern;
  }

private:
  [[nodiscard]] std::optional<response>
  refusal(const request_head& head, std::string_view address, admission& into);
  [[nodiscard]] std::optional<response>
  too_often(const std::optional<caller>& who, std::string_view address,
            error_form errors);
  [[nodiscard]] std::optional<response> repeated(const admission& admitted,
                                                 const std::string& key);

  dispatcher_options options_;
  router router_;
  request_rate rate_;
  std::shared_ptr<kept_answers> answers_;
};

} // namespace convene::server
