#include <boost/asio/bind_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <convene/server/http/connection.hpp>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <atomic>
#include <optional>
#include <utility>

namespace convene::server {
namespace {

constexpr std::size_t read_bytes = 8 << 10;

/// How much the system takes of what a peer has no room for yet.
constexpr int unsent_bytes_max = 128 << 10;

/// How often a peer that has sent more is looked at, whether it is still there.
constexpr std::chrono::milliseconds look_time{200};

/// How long one of the reserve has for its request.
constexpr std::chrono::milliseconds reserve_time{2'000};

/// An answer of so few bytes, an error for example, is given in any case.
constexpr std::size_t small_answer_bytes = 4 << 10;

/// The same for all answers that a key, or an address without one, gets.
std::string reader_of(const caller& by, std::string_view address) {
  return by.key_id.empty() ? counted_address(address) : "key " + by.key_id;
}

response try_again(error_form form, unsigned status, std::string_view code,
                   std::string_view message) {
  auto made = error_response(form, status, code, message);
  made.headers.emplace_back("Retry-After", "5");
  return made;
}

response untaken(error_form form, answer_budget::room why) {
  if (why == answer_budget::room::reader_full)
    return try_again(form, 429, "key_answers_bytes_max",
                     "too many bytes of answers to this key or address are "
                     "waiting to be read; read them first, then try again");
  return try_again(form, 503, "answers_bytes_max",
                   "too many bytes of answers are waiting to be read; try "
                   "again");
}

/// Why a request that needs an answer of any size is not taken.
std::optional<response> no_room(const server_core& core, error_form form,
                                bool is_reserve, std::string_view reader) {
  if (is_reserve)
    return try_again(form, 503, "connections_max",
                     "too many connections are open; try again");
  const auto room = core.answers->room_for(reader);
  if (room == answer_budget::room::enough)
    return std::nullopt;
  return untaken(form, room);
}

/// Counts an answer's bytes as soon as there are any. One that does not fit
/// becomes an error.
answer_budget::charge hold(server_core& core, error_form form,
                           std::string_view reader, response& what) {
  answer_budget::charge held;
  const auto bytes = what.body.size();
  if (bytes > core.limits.answer_bytes_max) {
    what = error_response(form, 500, "answer_bytes_max",
                          "the answer has " + std::to_string(bytes)
                            + " bytes; ask for less, or start the server with "
                              "a larger --limit answer_bytes_max");
    return held;
  }
  const auto room = core.answers->try_take(reader, bytes, held);
  if (room != answer_budget::room::enough && bytes > small_answer_bytes)
    what = untaken(form, room);
  return held;
}

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
                       transport::socket taken, bool is_reserve)
  : core_{std::move(core)}, transport_{std::move(taken), core_->tls.get()},
    strand_{boost::asio::make_strand(core_->io)}, deadline_{strand_},
    is_reserve_{is_reserve} {
  auto& socket = transport_.plain();
  error_code failed;
  if (const auto peer = socket.remote_endpoint(failed); !failed)
    address_ = peer.address().to_string(failed);
  socket.set_option(boost::asio::ip::tcp::no_delay{true}, failed);
  // A peer that vanished without a word is found out as soon as a slow one.
  const auto patience = static_cast<unsigned>(core_->limits.stall_time.count());
  ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &patience,
               sizeof patience);
  // What waits in the system is memory, too.
  const int unsent = unsent_bytes_max;
  ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent,
               sizeof unsent);
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
    self->set_deadline(self->is_reserve_ ? reserve_time
                                         : self->core_->limits.request_time);
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
  set_deadline(is_reserve_ ? reserve_time : core_->limits.idle_time);
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
          if (!self->is_reserve_)
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
  owner_ = reader_of(request_.what.by, address_);
  if (is_reserve_)
    keep_alive_ = false;
  if (request_.to != nullptr && !request_.to->is_vital)
    if (auto full = no_room(*core_, request_.errors, is_reserve_, owner_)) {
      request_.to = nullptr;
      request_.refused = *std::move(full);
    }
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
  const auto form = admitted.errors;
  const bool is_vital = admitted.to->is_vital;
  watch_peer();
  auto make = [core = core_, admitted = std::move(admitted), weak, number, body,
               form, reader = owner_]() mutable {
    core->endpoints->call(
      std::move(admitted),
      [core = core.get(), weak, number, body, form, reader](response what) {
        body->release();
        const auto self = weak.lock();
        if (!self)
          return;
        auto held = hold(*core, form, reader, what);
        // Weak: the server may stop meanwhile, and what is posted then would
        // keep itself for ever.
        boost::asio::post(self->strand_, [weak, number, what = std::move(what),
                                          held = std::move(held)]() mutable {
          const auto to = weak.lock();
          if (to && to->phase_ == phase::answering && to->answers_ == number)
            to->answer(std::move(what), std::move(held));
        });
      },
      [weak, number](milliseconds time, std::function<void()> call,
                     bool for_news) {
        const auto self = weak.lock();
        if (!self)
          return;
        boost::asio::post(self->strand_, [weak, number, time, for_news,
                                          call = std::move(call)]() mutable {
          const auto to = weak.lock();
          if (!to || to->phase_ != phase::answering || to->answers_ != number)
            return;
          to->waits_for_news_ = for_news || to->request_.what.method != "POST";
          to->call_later(time, std::move(call));
        });
      });
  };
  if (is_vital)
    make();
  else
    boost::asio::post(core_->work, std::move(make));
}

void connection::call_later(milliseconds time, std::function<void()> call) {
  waiting_ = std::move(call);
  later_ = std::make_unique<boost::asio::steady_timer>(strand_, time);
  later_->async_wait([weak = weak_from_this()](error_code failed) {
    const auto self = weak.lock();
    if (self && !failed)
      self->stop_waiting();
  });
  if (is_not_to_wait())
    stop_waiting();
}

/// Calls what waits for its time, on the threads where it may take some.
void connection::stop_waiting() {
  later_.reset();
  auto call = std::exchange(waiting_, {});
  if (!call)
    return;
  if (phase_ == phase::streaming || request_.to->is_vital)
    return call();
  boost::asio::post(core_->work, std::move(call));
}

bool connection::is_not_to_wait() const {
  return (core_->is_stopping || may_be_gone_) && phase_ == phase::answering
         && waits_for_news_;
}

/// Who goes away while an answer is prepared is not answered. One who only has
/// nothing more to say is, except with a stream; but who waits for news may be
/// gone then, so they have what there is.
void connection::watch_peer() {
  if (std::exchange(is_watching_, true))
    return;
  transport_.plain().async_wait(
    transport::socket::wait_read,
    boost::asio::bind_executor(strand_,
                               [weak = weak_from_this()](error_code failed) {
                                 const auto self = weak.lock();
                                 if (!self)
                                   return;
                                 self->is_watching_ = false;
                                 if (failed
                                     || (self->phase_ != phase::answering
                                         && self->phase_ != phase::streaming))
                                   return;
                                 self->look_at_peer();
                               }));
}

void connection::look_at_peer() {
  switch (transport_.look()) {
    case transport::peer_state::silent:
      return watch_peer();
    case transport::peer_state::sends: // it is read in its turn
      return watch_peer_later();
    case transport::peer_state::ended:
      has_ended_ = true;
      [[fallthrough]];
    case transport::peer_state::sent_all:
      may_be_gone_ = true;
      if (phase_ == phase::streaming)
        return close();
      if (is_not_to_wait())
        stop_waiting();
      return watch_peer_later(); // it may still be reset
    case transport::peer_state::gone:
      close();
  }
}

/// A socket with something to read is always ready.
void connection::watch_peer_later() {
  look_ = std::make_unique<boost::asio::steady_timer>(strand_, look_time);
  look_->async_wait([weak = weak_from_this()](error_code failed) {
    const auto self = weak.lock();
    if (!failed && self
        && (self->phase_ == phase::answering
            || self->phase_ == phase::streaming))
      self->look_at_peer();
  });
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
    else if (self->is_not_to_wait())
      self->stop_waiting();
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
