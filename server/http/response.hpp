#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::server {

/// What a reader is sent bit by bit, for as long as there is more. Called by
/// one thread at a time.
class stream_source {
public:
  struct part {
    std::string bytes;
    bool is_last = false; ///< the answer ends with them
    /// Of a part without bytes: `read` is called again after this time, if not
    /// before; 0: only `more` says when.
    std::chrono::milliseconds again_after{0};
    /// Of a part without bytes: the connection ends here, and with it an
    /// answer that is not whole.
    bool is_cut = false;
  };

  virtual ~stream_source() = default;

  /// What comes next, about `bytes_max` of it. If that is nothing, and not the
  /// end, `more` is called once, on any thread, as soon as it is worth asking
  /// again; another call replaces it. Must not wait for events.
  [[nodiscard]] virtual part
  read(std::size_t bytes_max, std::function<void()> more)
    = 0;

  /// Of a stream of events: whether it has signs of life of its own, which come
  /// in any place, so that none may be added.
  [[nodiscard]] virtual bool shows_life() const {
    return false;
  }
};

/// An answer: a body, or a stream, whose first bytes are the body then.
struct response {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  std::shared_ptr<stream_source> stream; ///< sent chunked until its end
  /// False: it says nothing of what the request's Idempotency-Key was used for
  /// first, so the request that it belongs to can still come.
  bool is_of_key = true;
};

/// How errors look: convene's own API has `{"error": {"code", "message",
/// "details"}}`, OpenWOP's endpoints have the code as `error`, and `message`
/// and `details` beside it; those of A2A have google.rpc.Status.
enum class error_form : unsigned char { native, openwop, a2a };

/// The media type of A2A, which its endpoints take beside JSON's.
inline constexpr std::string_view a2a_media_type = "application/a2a+json";

/// An error's answer. `details` is left out if it is empty.
[[nodiscard]] response
error_response(error_form form, unsigned status, std::string_view code,
               std::string_view message, boost::json::object details = {});

[[nodiscard]] response json_response(unsigned status,
                                     const boost::json::value& body);

/// Takes the answer to a request. Copies take the same answer: the first one
/// counts. If all copies are gone without one, the answer is 500. Thread-safe;
/// may outlive the server and the reader.
class responder {
public:
  /// How the server takes it.
  class target {
  public:
    virtual ~target() = default;
    virtual void answer(response what) = 0;
    virtual void
    answer_after(std::chrono::milliseconds time, std::function<response()> make)
      = 0;
    /// The same, of a request that has done what it was to do.
    virtual void answer_news_after(std::chrono::milliseconds time,
                                   std::function<response()> make) {
      answer_after(time, std::move(make));
    }
    [[nodiscard]] virtual bool is_answered() const {
      return false;
    }
  };

  explicit responder(std::shared_ptr<target> to) : to_{std::move(to)} {}

  void operator()(response what) const {
    to_->answer(std::move(what));
  }

  /// If there is no answer within `time`, it is what `make` returns then; or
  /// before, if it is a GET and its reader goes away or the server stops.
  void after(std::chrono::milliseconds time,
             std::function<response()> make) const {
    to_->answer_after(time, std::move(make));
  }

  /// The same, also before for a POST, whose caller only waits for news by now.
  void with_news_after(std::chrono::milliseconds time,
                       std::function<response()> make) const {
    to_->answer_news_after(time, std::move(make));
  }

  /// Whether there has been an answer, so that another one is for nothing.
  [[nodiscard]] bool is_answered() const {
    return to_->is_answered();
  }

private:
  std::shared_ptr<target> to_;
};

} // namespace convene::server
