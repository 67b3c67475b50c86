#include "runtime/outside/http/raw_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <stdexcept>
#include <utility>

namespace convene::tests {
namespace {

using steady = std::chrono::steady_clock;
constexpr std::chrono::milliseconds drip_every{5};
/// How long to wait for the receiver to take something.
constexpr std::chrono::milliseconds full_for{1};

/// Gives the socket a free port of 127.0.0.1; 0: there is none.
std::uint16_t bind_to_loopback(int to) {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof where;
  auto* address = reinterpret_cast<sockaddr*>(&where);
  if (to < 0 || bind(to, address, size) != 0
      || getsockname(to, address, &size) != 0)
    return 0;
  return ntohs(where.sin_port);
}

/// How long the request at the start of `text` is; 0: not all of it is there.
std::size_t request_length(const std::string& text) {
  const auto end = text.find("\r\n\r\n");
  if (end == text.npos)
    return 0;
  std::size_t body = 0;
  if (const auto at = text.find("Content-Length: "); at < end)
    body = std::stoul(text.substr(at + 16));
  const auto length = end + 4 + body;
  return text.size() >= length ? length : 0;
}

} // namespace

struct raw_server::connection {
  std::string heard;
  raw_answer answer;
  std::size_t sent = 0;
  bool answering = false;
  steady::time_point due;
};

raw_answer answer_with(std::string body, std::string type, std::string status,
                       std::string more_headers) {
  return {.bytes = "HTTP/1.1 " + status + "\r\nContent-Type: " + type
                   + "\r\nContent-Length: " + std::to_string(body.size())
                   + "\r\n" + more_headers + "\r\n" + body,
          .after = then_do::serve};
}

raw_server::raw_server(answering how) : how_(std::move(how)) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  port_ = bind_to_loopback(listener_);
  if (port_ == 0 || listen(listener_, 2048) != 0)
    throw std::runtime_error{"no server on loopback"};
  thread_ = std::thread{[this] { run(); }};
}

raw_server::~raw_server() {
  stopping_ = true;
  thread_.join();
  close(listener_);
}

std::string raw_server::url(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(port_) + path;
}

/// False: the connection is over.
bool raw_server::hear(int fd, connection& which) {
  std::array<char, 16384> buffer{};
  const auto got = recv(fd, buffer.data(), buffer.size(), 0);
  if (got <= 0)
    return got < 0 && errno == EAGAIN;
  which.heard.append(buffer.data(), static_cast<std::size_t>(got));
  const auto length = request_length(which.heard);
  if (length == 0 || which.answering)
    return true;
  which.answer = how_(which.heard.substr(0, length), requests_++);
  which.heard.erase(0, length);
  which.sent = 0;
  which.answering = true;
  which.due = steady::now() + which.answer.delay;
  return true;
}

bool raw_server::speak(int fd, connection& which) {
  auto& answer = which.answer;
  const bool drips = answer.after == then_do::drip;
  while (which.sent < answer.bytes.size()) {
    const auto left = drips ? 1 : answer.bytes.size() - which.sent;
    const auto sent = send(fd, answer.bytes.data() + which.sent, left,
                           MSG_NOSIGNAL);
    if (sent < 0) {
      which.due = steady::now() + full_for;
      return errno == EAGAIN;
    }
    which.sent += static_cast<std::size_t>(sent);
    if (drips) {
      which.due = steady::now() + drip_every;
      if (which.sent == answer.bytes.size())
        --which.sent;
      return true;
    }
    if (which.sent == answer.bytes.size() && answer.after == then_do::repeat)
      which.sent -= answer.repeated;
  }
  switch (answer.after) {
    case then_do::serve:
      which.answering = false;
      return true;
    case then_do::hang:
      which.due = steady::time_point::max();
      return true;
    case then_do::reset: {
      const linger at_once{.l_onoff = 1, .l_linger = 0};
      setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
      return false;
    }
    default:
      return false;
  }
}

/// Connections by file, and when they have something to say.
struct raw_server::crowd {
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  std::map<int, connection> open;
  std::set<std::pair<steady::time_point, int>> due;

  void watch(int fd, std::uint32_t events, int how) const {
    epoll_event wanted{.events = events, .data = {.fd = fd}};
    epoll_ctl(epoll, how, fd, &wanted);
  }

  void plan(int fd, const connection& which) {
    if (which.answering && which.due != steady::time_point::max())
      due.emplace(which.due, fd);
  }

  void drop(int fd) {
    due.erase({open.at(fd).due, fd});
    close(fd);
    open.erase(fd);
  }
};

void raw_server::run() {
  crowd all;
  all.watch(listener_, EPOLLIN, EPOLL_CTL_ADD);
  std::array<epoll_event, 256> events{};
  while (!stopping_) {
    auto next = steady::now() + std::chrono::milliseconds{20};
    if (!all.due.empty())
      next = std::min(next, all.due.begin()->first);
    const auto left
      = std::chrono::ceil<std::chrono::milliseconds>(next - steady::now());
    const auto count
      = epoll_wait(all.epoll, events.data(), static_cast<int>(events.size()),
                   static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    for (int i = 0; i < count; ++i) {
      const auto fd = events[static_cast<std::size_t>(i)].data.fd;
      if (fd == listener_) {
        welcome(all);
        continue;
      }
      auto& which = all.open.at(fd);
      const bool was_answering = which.answering;
      if (!hear(fd, which))
        all.drop(fd);
      else if (!was_answering)
        all.plan(fd, which);
    }
    while (!all.due.empty() && all.due.begin()->first <= steady::now()) {
      const auto fd = all.due.begin()->second;
      all.due.erase(all.due.begin());
      auto& which = all.open.at(fd);
      if (speak(fd, which))
        all.plan(fd, which);
      else
        all.drop(fd);
    }
    connections_ = all.open.size();
  }
  for (const auto& [fd, each] : all.open)
    close(fd);
  close(all.epoll);
}

void raw_server::welcome(crowd& all) const {
  int fd = -1;
  while (
    (fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC))
    >= 0) {
    all.open[fd];
    all.watch(fd, EPOLLIN, EPOLL_CTL_ADD);
  }
}

closed_port::closed_port()
  : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
    port_(bind_to_loopback(socket_)) {
  if (port_ == 0)
    throw std::runtime_error{"no port on loopback"};
}

closed_port::~closed_port() {
  close(socket_);
}

} // namespace convene::tests
