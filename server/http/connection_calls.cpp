#include <boost/asio/post.hpp>
#include <convene/server/http/answer_room.hpp>
#include <convene/server/http/connection.hpp>

#include <atomic>
#include <utility>

// How a connection has its request handled, and what waits for news.

namespace convene::server {

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
  admitted.what.certificate_names = certificate_names_;
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

} // namespace convene::server
