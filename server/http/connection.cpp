#include <boost/asio/bind_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <convene/server/http/connection.hpp>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <atomic>
#include <utility>

namespace convene::server {
namespace {

constexpr std::size_t read_bytes = 8 << 10;

} // namespace

/// The bytes of a body, which count until its request is answered, whether or
/// not the sender is still there.
class connection::counted_body {
public:
  counted_body(std::shared_ptr<server_core> core, std::size_t bytes)
    : core_{std::move(core)}, bytes_{bytes} {}
  counted_body(const counted_body&) = delete;
  counted_body& operator=(const counted_body&) = delete;
  ~counted_body() {
    release();
  }

  void release() {
    core_->body_bytes -= bytes_.exchange(0);
  }

private:
  const std::shared_ptr<server_core> core_;
  std::atomic<std::size_t> bytes_;
};

connection::connection(std::shared_ptr<server_core> core,
                       transport::socket taken)
  : core_{std::move(core)}, transport_{std::move(taken), core_->tls.get()},
    strand_{boost::asio::make_strand(core_->io)}, deadline_{strand_} {
  auto& socket = transport_.plain();
  error_code failed;
  if (const auto peer = socket.remote_endpoint(failed); !failed)
    address_ = peer.address().to_string(failed);
  socket.set_option(boost::asio::ip::tcp::no_delay{true}, failed);
  // A peer that vanished without a word is found out as soon as a slow one.
  const auto patience = static_cast<unsigned>(core_->limits.stall_time.count());
  ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &patience,
               sizeof patience);
}

connection::~connection() {
  release_body();
  const std::scoped_lock lock{core_->mutex};
  core_->connections.erase(this);
}

void connection::start() {
  // Before others know of it, who may close it at once.
  held_ = shared_from_this();
  {
    const std::scoped_lock lock{core_->mutex};
    core_->connections.emplace(this, weak_from_this());
  }
  boost::asio::dispatch(strand_, [self = shared_from_this()] {
    if (self->core_->is_stopping)
      return self->close();
    if (!self->transport_.has_tls())
      return self->await_request();
    self->set_deadline(self->core_->limits.request_time);
    self->transport_.handshake(
      boost::asio::bind_executor(self->strand_, [self](error_code failed) {
        if (failed)
          return self->close();
        self->await_request();
      }));
  });
}

void connection::await_request() {
  if (phase_ == phase::closed)
    return;
  request_ = {};
  is_admitted_ = false;
  reader_.emplace(core_->limits);
  phase_ = phase::idle;
  if (!input_.empty()) {
    phase_ = phase::reading;
    set_deadline(core_->limits.request_time);
    return feed();
  }
  if (core_->is_stopping || has_ended_)
    return leave();
  input_.shrink_to_fit();
  set_deadline(core_->limits.idle_time);
  read_more();
}

void connection::read_more() {
  buffer_ = std::make_unique_for_overwrite<char[]>(read_bytes);
  transport_.read_some(
    boost::asio::buffer(buffer_.get(), read_bytes),
    boost::asio::bind_executor(
      strand_, [self = shared_from_this()](error_code failed, std::size_t got) {
        self->input_.append(self->buffer_.get(), got);
        self->buffer_.reset();
        if (self->phase_ == phase::closed)
          return;
        if (self->is_late_)
          return self->refuse(
            {408, "request_time", "the request took too long to come"});
        if (failed)
          return self->close();
        if (self->phase_ == phase::idle) {
          self->phase_ = phase::reading;
          self->set_deadline(self->core_->limits.request_time);
        }
        self->feed();
      }));
}

void connection::feed() {
  while (!reader_->is_done()) {
    const bool had_head = reader_->head().has_value();
    const auto used = reader_->put(input_);
    if (!used) {
      // A body that is too long is refused in the form of its endpoint, if
      // that would take one.
      if (had_head || !reader_->head() || admit())
        refuse(used.error());
      return;
    }
    input_.erase(0, *used);
    if (!may_keep_body())
      return refuse({503, "bodies_bytes_max",
                     "too many requests are being read; try again"});
    const bool is_head_new = !had_head && reader_->head();
    if (is_head_new && !admit())
      return;
    if (reader_->is_done())
      break;
    if (is_head_new && reader_->head()->expects_continue && input_.empty())
      return invite_body();
    if (*used == 0 || input_.empty())
      return read_more();
  }
  dispatch();
}

/// The head decides whether the rest is read.
bool connection::admit() {
  const auto& head = *reader_->head();
  read_at_ = std::chrono::steady_clock::now();
  keep_alive_ = head.keep_alive;
  is_http_1_0_ = head.is_http_1_0;
  is_head_ = head.method == "HEAD";
  const auto origin = head.header("origin");
  origin_ = core_->hosts.allows_cors(origin) ? origin : std::string_view{};
  request_ = core_->endpoints->admit(head, address_, core_->next_id());
  is_admitted_ = true;
  if (request_.to != nullptr) {
    const auto why = reader_->bound_body(request_.to->body_bytes_max);
    if (why)
      refuse(*why);
    return !why;
  }
  // A body that nobody wants is not waited for.
  if (head.has_body())
    keep_alive_ = false;
  answer(std::move(request_.refused));
  return false;
}

void connection::refuse(const http_refusal& why) {
  keep_alive_ = false;
  if (!is_admitted_) {
    read_at_ = std::chrono::steady_clock::now();
    request_.what.id = core_->next_id();
    is_head_ = false;
    is_http_1_0_ = false;
    origin_.clear();
  }
  answer(error_response(request_.errors, why.status, why.code, why.message));
}

bool connection::may_keep_body() {
  const auto now = reader_->body().size();
  core_->body_bytes += now - body_bytes_;
  body_bytes_ = now;
  return core_->body_bytes <= core_->limits.bodies_bytes_max;
}

void connection::release_body() {
  core_->body_bytes -= std::exchange(body_bytes_, 0);
}

void connection::invite_body() {
  send("HTTP/1.1 100 Continue\r\n\r\n", [this] {
    phase_ = phase::reading;
    set_deadline(core_->limits.request_time);
    read_more();
  });
}

void connection::dispatch() {
  phase_ = phase::answering;
  clear_deadline();
  auto admitted = std::exchange(request_, {});
  request_.to = admitted.to;
  request_.errors = admitted.errors;
  request_.what.id = admitted.what.id;
  request_.what.method = admitted.what.method;
  if (core_->is_caller)
    request_.what.by = admitted.what.by;
  admitted.what.body = std::move(reader_->body());
  reader_.reset();
  if (input_.empty())
    input_.shrink_to_fit();
  const auto number = ++answers_;
  const std::weak_ptr<connection> weak = weak_from_this();
  const auto body
    = std::make_shared<counted_body>(core_, std::exchange(body_bytes_, 0));
  watch_peer();
  core_->endpoints->call(
    std::move(admitted),
    [weak, number, body](response what) {
      body->release();
      const auto self = weak.lock();
      if (!self)
        return;
      // Weak: the server may stop meanwhile, and what is posted then would keep
      // itself for ever.
      boost::asio::post(self->strand_, [weak, number,
                                        what = std::move(what)]() mutable {
        const auto to = weak.lock();
        if (to && to->phase_ == phase::answering && to->answers_ == number)
          to->answer(std::move(what));
      });
    },
    [weak, number](milliseconds time, std::function<void()> call) {
      const auto self = weak.lock();
      if (!self)
        return;
      boost::asio::post(self->strand_, [weak, number, time,
                                        call = std::move(call)]() mutable {
        const auto to = weak.lock();
        if (to && to->phase_ == phase::answering && to->answers_ == number)
          to->call_later(time, std::move(call));
      });
    });
}

void connection::call_later(milliseconds time, std::function<void()> call) {
  later_ = std::make_unique<boost::asio::steady_timer>(strand_, time);
  later_->async_wait(
    [weak = weak_from_this(), call = std::move(call)](error_code failed) {
      const auto self = weak.lock();
      if (self && (!failed || self->is_not_to_wait()))
        call();
    });
  if (is_not_to_wait())
    later_->cancel();
}

bool connection::is_not_to_wait() const {
  return core_->is_stopping && phase_ == phase::answering
         && request_.what.method != "POST";
}

/// Who goes away while an answer is prepared is not answered. One who only has
/// nothing more to say is, except with a stream.
void connection::watch_peer() {
  transport_.plain().async_wait(
    transport::socket::wait_read,
    boost::asio::bind_executor(strand_, [weak = weak_from_this()](
                                          error_code failed) {
      const auto self = weak.lock();
      if (failed || !self
          || (self->phase_ != phase::answering
              && self->phase_ != phase::streaming))
        return;
      switch (self->transport_.look()) {
        case transport::peer_state::silent:
          return self->watch_peer();
        case transport::peer_state::sends: // it is read in its turn
          return;
        case transport::peer_state::ended:
          self->has_ended_ = true;
          if (self->phase_ == phase::streaming)
            self->close();
          return;
        case transport::peer_state::gone:
          self->close();
      }
    }));
}

void connection::drain() {
  boost::asio::post(strand_, [self = shared_from_this()] {
    self->keep_alive_ = false;
    if (self->phase_ == phase::idle || self->phase_ == phase::handshake)
      self->close();
    else if (self->phase_ == phase::leaving)
      self->set_deadline(leave_time);
    else if (self->phase_ == phase::streaming && !self->is_sending_)
      self->end_stream();
    else if (self->is_not_to_wait() && self->later_)
      self->later_->cancel(); // which calls what waits
  });
}

bool connection::is_revoked() const {
  const auto& by = request_.what.by;
  return core_->is_caller && !by.key_id.empty() && !core_->is_caller(by);
}

void connection::check_caller() {
  boost::asio::post(strand_, [self = shared_from_this()] {
    const bool shows = self->phase_ == phase::streaming
                       || (self->phase_ == phase::answering
                           && self->request_.what.method != "POST");
    if (!shows || !self->is_revoked())
      return;
    if (self->phase_ == phase::streaming && !self->is_sending_)
      self->end_stream();
    else
      self->close();
  });
}

void connection::cut() {
  boost::asio::post(strand_, [self = shared_from_this()] { self->close(); });
}

} // namespace convene::server
