#pragma once

#include <convene/runtime/outside/http/paced_client.hpp>
#include <convene/runtime/outside/participants/http_settings.hpp>
#include <convene/runtime/outside/participants/late_behaviour.hpp>
#include <convene/runtime/outside/participants/reply_desk.hpp>

#include <memory>
#include <string>

namespace convene::host {

/// A participant that a service answers for: the request (request_json.hpp) is
/// posted to its URL, and its answer is the reply; or the answer is 202, and
/// the reply comes to the desk. The call is an action of kind http at "1.0".
/// With a secret, the header `X-Convene-Timestamp` has the time in seconds, and
/// `X-Convene-Signature` is "sha256=" and the HMAC-SHA256 of that, a dot and
/// the body in hexadecimal; the header `Idempotency-Key` is the same for all
/// attempts. Codes of failed replies: those of http_message.hpp and
/// paced_client.hpp, `service_reply_invalid` and `service_reply_later`.
class http_behaviour final : public late_behaviour {
public:
  /// `secret`: the value of `secret_env`; empty: not signed. `desk`: where
  /// replies may come later; null: nowhere. `approvers` approve its requests,
  /// if they are to be.
  http_behaviour(http_settings settings, std::shared_ptr<paced_client> by,
                 std::string secret, std::shared_ptr<reply_desk> desk = {},
                 std::shared_ptr<people> approvers = {});

  void begin(actors::turn_request asked) override;

private:
  std::shared_ptr<const http_settings> settings_;
  std::shared_ptr<paced_client> by_;
  std::string secret_;
  std::shared_ptr<reply_desk> desk_;
  std::shared_ptr<people> approvers_;
};

} // namespace convene::host
