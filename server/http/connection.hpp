#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <convene/server/http/answer_head.hpp>
#include <convene/server/http/request_reader.hpp>
#include <convene/server/http/server_core.hpp>
#include <convene/server/http/transport.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::server {

/// One connection: reads a request, has it answered, and so on. Everything
/// runs on its strand. It keeps itself alive from `start` until it is closed.
class connection : public std::enable_shared_from_this<connection> {
public:
  /// One of the reserve answers requests of vital routes alone.
  connection(std::shared_ptr<server_core> core, transport::socket taken,
             bool is_reserve);
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;
  ~connection();

  void start();

  /// Ends it once its request is answered: one that waits for news now. A
  /// stream of events ends now, too.
  void drain();
  /// Ends it now.
  void cut();
  /// Ends what it shows, if its caller's key does not count any more.
  void check_caller();

private:
  using error_code = boost::system::error_code;
  using milliseconds = std::chrono::milliseconds;
  class counted_body;

  /// How long a peer that has sent its request has to end the connection, too.
  static constexpr milliseconds leave_time{1000};
  /// How long one of the reserve has for its request.
  static constexpr milliseconds reserve_time{2'000};

  enum class phase {
    handshake,
    idle,
    reading,
    answering,
    writing,
    streaming,
    leaving,
    closed
  };

  // connection_requests.cpp: what comes in.
  void await_request();
  void read_more();
  void feed();
  void refuse(const http_refusal& why);
  [[nodiscard]] bool may_keep_body();
  void release_body();
  [[nodiscard]] bool admit();
  [[nodiscard]] bool count_for_key();
  void invite_body();

  // connection_calls.cpp: how it is handled.
  void dispatch();
  void stop_waiting();
  void call_later(milliseconds time, std::function<void()> call);
  /// The server stops or the reader goes, and who waits for news has what there
  /// is; who changes something is to hear whether it was done.
  [[nodiscard]] bool is_not_to_wait() const;
  /// The caller's key does not count any more.
  [[nodiscard]] bool is_revoked() const;

  // connection_peer.cpp: whether anybody waits for it.
  void watch_peer();
  void watch_peer_later();
  void look_at_peer();

  // connection_answers.cpp: what goes out.
  void answer(response what, answer_budget::charge held = {});
  void tell_of(const response& what) const;
  void send(std::string bytes, std::function<void()> then);
  void send_rest(std::size_t from, std::function<void()> then);
  void answered();

  // connection_streams.cpp
  void begin_stream();
  void pump();
  void read_source();
  void take_part(stream_source::part part, answer_budget::charge held);
  void send_part(stream_source::part part); ///< as a chunk already
  void show_life();
  void end_stream();

  // connection_end.cpp
  void leave();
  void see_off(std::chrono::steady_clock::time_point until);
  void discard_input(std::size_t bytes_left,
                     std::chrono::steady_clock::time_point until);
  void close();

  void set_deadline(milliseconds time);
  void clear_deadline();
  void on_deadline();

  std::shared_ptr<server_core> core_;
  std::shared_ptr<connection> held_; ///< itself, while it is open
  transport transport_;
  boost::asio::strand<boost::asio::io_context::executor_type> strand_;
  boost::asio::steady_timer deadline_;
  std::size_t deadlines_ = 0; ///< set so far: an older one means nothing
  std::unique_ptr<boost::asio::steady_timer> later_;
  std::unique_ptr<boost::asio::steady_timer> look_; ///< at a peer that sends
  std::function<void()> waiting_; ///< to be called by `later_`, or before
  std::string address_;
  std::string counted_as_; ///< in the core's `addresses`
  /// See `request::certificate_names`.
  std::shared_ptr<const std::vector<std::string>> certificate_names_;
  std::string key_; ///< the same in `keys`; empty: not yet
  const bool is_reserve_;
  phase phase_ = phase::handshake;

  std::unique_ptr<char[]> buffer_; ///< what is being received, if something is
  std::string input_;              ///< received, and not read yet
  std::optional<request_reader> reader_;
  std::size_t body_bytes_ = 0; ///< being read, counted in the core
  dispatcher::admission request_;
  bool is_admitted_ = false;
  bool is_watching_ = false;    ///< the peer
  bool has_ended_ = false;      ///< the peer sends nothing more
  bool may_be_gone_ = false;    ///< the same, or only what is not read yet
  bool is_late_ = false;        ///< the request took too long
  bool waits_for_news_ = false; ///< what `waiting_` is for
  bool keep_alive_ = true;
  bool is_http_1_0_ = false;
  bool is_head_ = false;
  std::size_t answers_ = 0; ///< number of the request that is answered
  std::string origin_;
  std::chrono::steady_clock::time_point read_at_;

  std::string owner_; ///< whom the bytes of answers count for
  answer_budget::charge held_bytes_;
  std::string output_;
  std::chrono::steady_clock::time_point sent_by_; ///< else it is cut off
  std::shared_ptr<stream_source> source_;
  bool is_events_ = false;  ///< the stream is text/event-stream
  bool is_sending_ = false; ///< of a stream: a part is under way
  std::size_t reads_ = 0;   ///< of the source: an older one means nothing
  bool waits_for_room_ = false;
  bool is_reading_ = false; ///< the latest of them is under way
  bool wants_pump_ = false; ///< there is more, meanwhile
};

} // namespace convene::server
