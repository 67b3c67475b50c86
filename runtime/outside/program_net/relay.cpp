#include <convene/runtime/outside/program_net/relay.hpp>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

namespace convene::host {
namespace {

constexpr std::chrono::minutes idle_longest{15};
constexpr std::chrono::seconds send_longest{60};

/// One direction.
class relay_way {
public:
  relay_way(int from, int to) : from_{from}, to_{to} {
    // nop
  }

  [[nodiscard]] bool is_over() const {
    return is_over_;
  }
  [[nodiscard]] bool reads() const {
    return !is_over_ && begin_ == end_;
  }
  [[nodiscard]] bool writes() const {
    return !is_over_ && begin_ < end_;
  }

  /// As far as it goes now.
  void move() {
    if (reads()) {
      const auto got = recv(from_, bytes_.data(), bytes_.size(), 0);
      if (got > 0) {
        begin_ = 0;
        end_ = static_cast<std::size_t>(got);
      } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        end();
      }
    }
    if (writes()) {
      const auto put = send(to_, bytes_.data() + begin_, end_ - begin_,
                            MSG_NOSIGNAL);
      if (put >= 0)
        begin_ += static_cast<std::size_t>(put);
      else if (errno != EAGAIN && errno != EINTR)
        end();
    }
  }

private:
  void end() {
    is_over_ = true;
    shutdown(to_, SHUT_WR);
  }

  int from_;
  int to_;
  bool is_over_ = false;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::array<char, std::size_t{64} << 10> bytes_; // NOLINT: filled by recv
};

short events_at(const relay_way& reading, const relay_way& writing) {
  return static_cast<short>((reading.reads() ? POLLIN : 0)
                            | (writing.writes() ? POLLOUT : 0));
}

} // namespace

bool wait_for(int file, short events, int stop,
              std::chrono::milliseconds longest) {
  std::array<pollfd, 2> both{pollfd{file, events, 0}, pollfd{stop, POLLIN, 0}};
  int ready = 0;
  do
    ready = poll(both.data(), both.size(), static_cast<int>(longest.count()));
  while (ready < 0 && errno == EINTR);
  return ready > 0 && both[0].revents != 0 && both[1].revents == 0;
}

bool send_all(int file, std::string_view bytes, int stop) {
  while (!bytes.empty()) {
    const auto put = send(file, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(put));
    else if (errno != EAGAIN && errno != EINTR)
      return false;
    else if (!wait_for(file, POLLOUT, stop, send_longest))
      return false;
  }
  return true;
}

void relay(const relay_ends& between) {
  relay_way up{between.client, between.server};
  relay_way down{between.server, between.client};
  constexpr std::chrono::milliseconds longest = idle_longest;
  while (!up.is_over() || !down.is_over()) {
    std::array<pollfd, 3> all{pollfd{between.client, events_at(up, down), 0},
                              pollfd{between.server, events_at(down, up), 0},
                              pollfd{between.stop, POLLIN, 0}};
    // An end that nothing is expected of would be reported again and again.
    for (auto& each : all)
      if (each.events == 0)
        each.fd = -1;
    const int ready = poll(all.data(), all.size(),
                           static_cast<int>(longest.count()));
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready <= 0 || all[2].revents != 0)
      return;
    up.move();
    down.move();
  }
}

} // namespace convene::host
