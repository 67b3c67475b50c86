#pragma once

#include <convene/actors/behaviours/acting.hpp>
#include <convene/runtime/outside/participants/llm.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

// One call of a model; for sources in this folder only.

namespace convene::host {

/// The thoughts of the latest answer, where they are not recorded. Thread-safe.
class unrecorded_thoughts {
public:
  void put(protocol::json::object thoughts) {
    const std::lock_guard held{mutex_};
    thoughts_ = std::move(thoughts);
  }
  [[nodiscard]] protocol::json::object take() {
    const std::lock_guard held{mutex_};
    return std::exchange(thoughts_, {});
  }

private:
  std::mutex mutex_;
  protocol::json::object thoughts_; ///< `original` of a model_answer
};

/// What a call of a model is made of.
struct llm_call {
  std::shared_ptr<const llm_settings> settings;
  model_access access;
  std::shared_ptr<const std::string> body; ///< JSON
  when_text on_text;                       ///< may be empty
  /// Gets the status of each attempt's answer; may be null.
  std::shared_ptr<std::atomic<int>> status = {};
  /// Gets the answer's thoughts; null: they are in the output.
  std::shared_ptr<unrecorded_thoughts> thoughts = {};
};

/// The longest answer of a model, as it is on the wire.
inline constexpr std::size_t model_answer_bytes_max = 16U << 20;

/// Begins an attempt. The output is an answer (answer_codec.hpp); the usage has
/// tokens and cost. Codes of errors: those of http_message.hpp, of
/// paced_client.hpp and of answer_stream.hpp.
[[nodiscard]] actors::cancel_function
call_model(const std::shared_ptr<paced_client>& by, const llm_call& what,
           const actors::attempt& which, actors::when_acted then);

/// What so many tokens cost, saturated.
[[nodiscard]] std::int64_t cost_of(const llm_price& price,
                                   const protocol::usage& what);

} // namespace convene::host
