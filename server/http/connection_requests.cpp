#include <boost/asio/bind_executor.hpp>
#include <convene/server/http/answer_room.hpp>
#include <convene/server/http/connection.hpp>

#include <utility>

// What a connection reads: requests, as far as they are taken.

namespace convene::server {
namespace {

constexpr std::size_t read_bytes = 8 << 10;

} // namespace

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
  if (request_.to != nullptr && !request_.to->is_vital) {
    const bool is_counted = count_for_key();
    keep_alive_ = keep_alive_ && is_counted;
    if (auto full = no_room(
          *core_, request_.errors,
          {.is_reserve = is_reserve_, .is_of_full_key = !is_counted}, owner_)) {
      request_.to = nullptr;
      request_.refused = *std::move(full);
    }
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

/// Whether its key may have this connection, too.
bool connection::count_for_key() {
  const auto& key = request_.what.by.key_id;
  if (key.empty() || key == key_)
    return true;
  const std::scoped_lock lock{core_->mutex};
  const auto found = core_->keys.find(key);
  if (found != core_->keys.end()
      && found->second >= core_->limits.key_connections_max)
    return false;
  ++core_->keys[key];
  if (!key_.empty())
    core_->uncount(core_->keys, key_);
  key_ = key;
  return true;
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

} // namespace convene::server
