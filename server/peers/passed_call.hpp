#pragma once

#include <convene/runtime/outside/http/http_client.hpp>
#include <convene/server/http/response.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::server {

/// A request that another server answers. An answer that is long, or a stream,
/// is handed on as it arrives: no more of it is in memory than
/// `held_bytes_max`, and it is received no faster than its reader takes it. If
/// the reader goes, so does the call. Thread-safe.
class passed_call : public std::enable_shared_from_this<passed_call> {
public:
  static constexpr std::size_t held_bytes_max = 64 << 10;
  /// A longer answer of a GET is handed on as it arrives.
  static constexpr std::size_t whole_bytes_max = 256 << 10;

  /// Why it has no answer to hand on.
  struct failure {
    int status = 0;   ///< what the server answered, if it did
    std::string code; ///< of `http_answer::error`
    std::string message;
  };
  struct outcome {
    /// The answer, or its beginning; called once, unless it fails.
    std::function<void(response)> answer;
    /// There is none, or its status is 421.
    std::function<void(failure)> fail;
    /// An answer that was begun is not whole.
    std::function<void()> cut;
  };

  /// Begins it. The status 421 is a failure; other ones are answers.
  static std::shared_ptr<passed_call>
  begin(host::http_client& by, host::http_request what, std::size_t bytes_max,
        outcome then);

  /// Its answer is not needed any more.
  void abandon();

private:
  class reader;

  passed_call(bool may_stream, std::size_t bytes_max, outcome then)
    : may_stream_{may_stream}, bytes_max_{bytes_max}, then_{std::move(then)} {}

  void hear_head(int status, const std::vector<host::http_header>& headers);
  [[nodiscard]] bool hear(std::string_view data);
  [[nodiscard]] bool has_room() const;
  void end(const host::http_answer& how);
  [[nodiscard]] stream_source::part take(std::size_t bytes_max,
                                         std::function<void()> more);

  const bool may_stream_;
  const std::size_t bytes_max_;
  const outcome then_;

  mutable std::mutex mutex_; ///< guards what follows
  host::http_client::call_control control_;
  response answer_; ///< its head, and its body unless it is a stream
  std::string held_;
  std::function<void()> more_;
  bool is_stream_ = false;
  bool is_too_long_ = false;
  bool has_ended_ = false;
  bool is_cut_ = false;
  bool is_abandoned_ = false;
  bool has_taken_ = false; ///< before there was a way to say so
};

} // namespace convene::server
