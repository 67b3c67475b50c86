#pragma once

#include <convene/lab/mock_model/answer_form.hpp>
#include <convene/server/http/response.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace convene::server {

/// When the n-th token of an answer is due, from 0, after the request.
[[nodiscard]] std::chrono::microseconds
due_after(const host::mock::answer& what, std::int64_t token);

/// Cuts the connection after so many bytes of a body.
class cut_body : public stream_source {
public:
  cut_body(std::string body, std::size_t bytes);

  part read(std::size_t bytes_max, std::function<void()> more) override;

private:
  std::string body_;
  bool is_sent_ = false;
};

/// An answer whose tokens come in their time.
class paced_answer : public stream_source {
public:
  using clock = std::chrono::steady_clock;

  /// `held` lives as long as the stream.
  paced_answer(host::mock::asked_for by, host::mock::answer what,
               clock::time_point begun, std::shared_ptr<void> held);

  part read(std::size_t bytes_max, std::function<void()> more) override;

private:
  const std::optional<std::size_t> cut_after_;
  const host::mock::answer pace_; ///< without its text
  const clock::time_point begun_;
  const host::mock::answer_events events_;
  const std::shared_ptr<void> held_;
  std::size_t at_ = 0;     ///< the next step
  std::int64_t token_ = 0; ///< the next one
  std::size_t sent_ = 0;   ///< bytes
  bool is_cut_ = false;
};

} // namespace convene::server
