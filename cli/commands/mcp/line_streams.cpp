#include <convene/cli/commands/mcp/line_streams.hpp>
#include <convene/runtime/outside/processes/lines.hpp>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <string_view>
#include <system_error>

namespace convene::cli {
namespace {

/// How long a reader may take for more, once there are no more lines to come.
constexpr int stall_ms = 2'000;

} // namespace

line_streams::line_streams(int input, int output)
  : input_{input}, output_{output}, wake_{::eventfd(0, EFD_CLOEXEC
                                                         | EFD_NONBLOCK)} {
  if (!wake_)
    throw std::system_error(errno, std::generic_category(), "eventfd");
}

void line_streams::stop() const {
  is_ending_ = true;
  ::eventfd_write(wake_.get(), 1);
}

void line_streams::read(
  std::size_t bytes_max,
  const std::function<void(std::string line, bool is_cut)>& take) const {
  host::line_splitter lines{bytes_max};
  std::array<char, std::size_t{64} << 10> bytes{};
  while (!is_ending_) {
    pollfd ready[] = {{input_, POLLIN, 0}, {wake_.get(), POLLIN, 0}};
    if (::poll(ready, 2, -1) < 0 && errno != EINTR)
      break;
    if (ready[0].revents == 0)
      continue;
    const auto got = ::read(input_, bytes.data(), bytes.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (got <= 0)
      break;
    lines.feed({bytes.data(), static_cast<std::size_t>(got)}, take);
  }
  if (!is_ending_)
    lines.finish(take);
  stop();
}

bool line_streams::has_room() const {
  for (bool has_left = false;;) {
    // The input is not read meanwhile, but its end can be seen.
    pollfd ready[] = {{output_, POLLOUT, 0},
                      {wake_.get(), POLLIN, 0},
                      {input_, POLLRDHUP, 0}};
    const bool ending = is_ending_ || has_left;
    const int count = ::poll(ready, ending ? 1 : 3, ending ? stall_ms : -1);
    if (ready[0].revents != 0)
      return (ready[0].revents & POLLOUT) != 0;
    if (ending && (count == 0 || errno != EINTR))
      return false;
    has_left = ready[2].revents != 0;
  }
}

void line_streams::write(const std::string& line) {
  const auto whole = line + '\n';
  for (std::string_view rest = whole; !rest.empty() && !is_gone_;) {
    // A pipe with any room has this much, so writing does not block.
    const auto part = rest.substr(0, PIPE_BUF);
    const bool has = has_room();
    const auto put = has ? ::write(output_, part.data(), part.size()) : 0;
    if (put > 0) {
      rest.remove_prefix(static_cast<std::size_t>(put));
    } else if (!has || (errno != EINTR && errno != EAGAIN)) {
      is_gone_ = true;
      stop();
    }
  }
}

} // namespace convene::cli
