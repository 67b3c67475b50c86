#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/server/http/connection.hpp>
#include <convene/server/http/http_server.hpp>
#include <convene/server/http/request_rate.hpp>
#include <convene/server/http/server_core.hpp>
#include <convene/server/http/tls_context.hpp>
#include <malloc.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <future>
#include <memory>
#include <thread>
#include <utility>

namespace convene::server {

namespace asio = boost::asio;
using asio::ip::tcp;

struct http_server::implementation {
  std::shared_ptr<server_core> core = std::make_shared<server_core>();
  /// These two on a strand, since `stop` closes them on another thread than the
  /// one that may just use them.
  tcp::acceptor acceptor{asio::make_strand(core->io)};
  asio::steady_timer pause{acceptor.get_executor()};
  asio::steady_timer tick{asio::make_strand(core->work)};
  std::function<bool()> keys_changed;
  asio::executor_work_guard<asio::io_context::executor_type> work{
    core->io.get_executor()};
  asio::executor_work_guard<asio::io_context::executor_type> more_work{
    core->work.get_executor()};
  std::vector<std::thread> threads;
  std::vector<std::thread> workers;
  std::size_t peak = 0; ///< of the answers' bytes, since memory was given back
  std::string url;
  std::uint16_t port = 0;

  /// Connections beyond `connections_max` and `address_connections_max`.
  static constexpr std::size_t reserve_max = 64;
  static constexpr std::size_t trimmed_peak_min = 8 << 20;

  void accept() {
    acceptor.async_accept(
      asio::any_io_executor{core->io.get_executor()},
      [this](boost::system::error_code failed, tcp::socket taken) {
        if (core->is_stopping)
          return;
        if (!failed) {
          admit(std::move(taken));
          return accept();
        }
        // No descriptor is left, or the peer is gone already.
        spdlog::warn("a connection could not be accepted: {}",
                     failed.message());
        pause.expires_after(std::chrono::milliseconds{100});
        pause.async_wait([this](boost::system::error_code) {
          if (!core->is_stopping)
            accept();
        });
      });
  }

  void admit(tcp::socket taken) {
    const auto most = core->limits.connections_max;
    boost::system::error_code gone;
    const auto peer = taken.remote_endpoint(gone);
    const auto address = gone ? std::string{}
                              : counted_address(peer.address().to_string());
    std::vector<std::shared_ptr<connection>> ended;
    bool is_reserve = false;
    {
      const std::scoped_lock lock{core->mutex};
      const auto open = core->connections.size();
      const auto same = core->addresses.find(address);
      is_reserve = open >= most
                   || (same != core->addresses.end()
                       && same->second >= core->limits.address_connections_max);
      if (is_reserve && open >= most + 2 * reserve_max) {
        spdlog::warn("connections_max: a connection was refused");
        return; // closes it
      }
      if (is_reserve)
        while (core->reserve.size() >= reserve_max) {
          if (auto oldest = core->reserve.front().lock())
            ended.push_back(std::move(oldest));
          core->reserve.pop_front();
        }
    }
    for (const auto& one : ended)
      one->cut();
    const auto made = std::make_shared<connection>(core, std::move(taken),
                                                   is_reserve);
    if (is_reserve) {
      const std::scoped_lock lock{core->mutex};
      core->reserve.push_back(made);
    }
    made->start();
  }

  /// Looks after the keys and the memory, again and again.
  void look_after() {
    tick.expires_after(std::chrono::seconds{1});
    tick.async_wait([this](boost::system::error_code failed) {
      if (failed || core->is_stopping)
        return;
      look_after(); // whatever follows
      give_memory_back();
      if (keys_changed && core->is_caller && keys_changed())
        for (const auto& one : core->open_connections())
          one->check_caller();
    });
  }

  /// What many answers have needed stays with the allocator, which cannot know
  /// that they were many.
  void give_memory_back() {
    peak = std::max(peak, core->answers->take_peak());
    if (peak < trimmed_peak_min || core->answers->bytes() > peak / 4)
      return;
    peak = 0;
    ::malloc_trim(0);
  }

  /// Whether all connections have ended within the time.
  bool wait_for_connections(std::chrono::milliseconds time) const {
    const auto until = std::chrono::steady_clock::now() + time;
    for (;;) {
      {
        const std::scoped_lock lock{core->mutex};
        if (core->connections.empty())
          return true;
      }
      if (std::chrono::steady_clock::now() >= until)
        return false;
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
  }
};

namespace {

/// What a handler of ours lets out ends that handler alone.
void run(asio::io_context& io) {
  for (;;) {
    try {
      io.run();
      return;
    } catch (const std::exception& failed) {
      spdlog::error("a connection has failed: {}", failed.what());
    }
  }
}

protocol::error cannot_listen(const http_server_options& how,
                              const boost::system::error_code& why) {
  return {.code = why == asio::error::address_in_use
                      || why == asio::error::access_denied
                      || why == asio::error::invalid_argument
                    ? protocol::errc::usage
                    : protocol::errc::io_failed,
          .message = "cannot listen on " + how.address + " port "
                     + std::to_string(how.port) + ": " + why.message(),
          .rule = "listen"};
}

} // namespace

protocol::result<std::unique_ptr<http_server>>
http_server::start(http_server_options how) {
  auto made = std::make_unique<implementation>();
  auto& core = *made->core;
  boost::system::error_code failed;
  const auto address = asio::ip::make_address(how.address, failed);
  if (failed)
    return protocol::fail(cannot_listen(how, failed));
  if (how.tls) {
    auto tls = open_tls(*how.tls);
    if (!tls)
      return protocol::fail(std::move(tls).error());
    core.tls = *std::move(tls);
  }
  auto& acceptor = made->acceptor;
  const tcp::endpoint place{address, how.port};
  acceptor.open(place.protocol(), failed);
  if (!failed)
    acceptor.set_option(tcp::acceptor::reuse_address{true}, failed);
  if (!failed)
    acceptor.bind(place, failed);
  if (!failed)
    acceptor.listen(asio::socket_base::max_listen_connections, failed);
  if (failed)
    return protocol::fail(cannot_listen(how, failed));
  made->port = acceptor.local_endpoint().port();
  made->url = std::string{how.tls ? "https" : "http"} + "://"
              + (address.is_v6() ? '[' + how.address + ']' : how.address) + ':'
              + std::to_string(made->port);

  core.limits = how.limits;
  core.answers = std::make_shared<answer_budget>(
    answer_budget::limits{.reader_max = how.limits.key_answers_bytes_max,
                          .all_max = how.limits.answers_bytes_max});
  core.observe = std::move(how.observe);
  core.id_prefix
    = to_string(protocol::uuid_source::from_entropy().next()).substr(0, 8)
      + '-';
  core.hosts = {.address = how.address,
                .port = made->port,
                .tls = how.tls.has_value(),
                .names = std::move(how.names),
                .origins = std::move(how.origins)};
  core.endpoints = std::make_shared<dispatcher>(
    dispatcher_options{.endpoints = std::move(how.endpoints),
                       .hosts = core.hosts,
                       .authenticate = std::move(how.authenticate),
                       .anybody = std::move(how.anybody),
                       .requests_per_second = how.limits.requests_per_second,
                       .answers = std::move(how.answers)});
  core.tls_refused = std::move(how.tls_refused);
  core.is_caller = std::move(how.is_caller);
  made->keys_changed = std::move(how.keys_changed);
  made->accept();
  made->look_after();
  for (unsigned count = 0; count < std::max(1U, how.threads); ++count) {
    made->threads.emplace_back([&io = core.io] { run(io); });
    made->workers.emplace_back([&work = core.work] { run(work); });
  }
  return std::unique_ptr<http_server>{new http_server{std::move(made)}};
}

http_server::http_server(std::unique_ptr<implementation> made)
  : implementation_{std::move(made)} {}

http_server::~http_server() {
  stop(std::chrono::milliseconds{0});
}

std::uint16_t http_server::port() const {
  return implementation_->port;
}

std::string http_server::url() const {
  return implementation_->url;
}

http_counts http_server::counts() const {
  auto& core = *implementation_->core;
  const std::scoped_lock lock{core.mutex};
  return {.connections = core.connections.size(),
          .streams = core.streams,
          .answer_bytes = core.answers->bytes()};
}

bool http_server::responds(std::chrono::milliseconds within) const {
  if (implementation_->core->is_stopping)
    return false;
  const auto free = std::make_shared<std::promise<void>>();
  auto seen = free->get_future();
  asio::post(implementation_->core->io, [free] { free->set_value(); });
  return seen.wait_for(within) == std::future_status::ready;
}

void http_server::stop(std::chrono::milliseconds grace) {
  auto& made = *implementation_;
  auto& core = *made.core;
  if (made.threads.empty())
    return;
  core.is_stopping = true;
  asio::post(made.acceptor.get_executor(), [&made] {
    boost::system::error_code failed;
    made.acceptor.close(failed);
    made.pause.cancel();
  });
  asio::post(made.tick.get_executor(), [&made] { made.tick.cancel(); });
  for (const auto& one : core.open_connections())
    one->drain();
  if (!made.wait_for_connections(grace))
    for (const auto& one : core.open_connections())
      one->cut();
  made.work.reset();
  for (auto& one : made.threads)
    one.join();
  made.threads.clear();
  made.more_work.reset();
  for (auto& one : made.workers)
    one.join();
  made.workers.clear();
}

} // namespace convene::server
