#include <convene/runtime/outside/processes/supervisor_report.hpp>
#include <sys/socket.h>

#include <array>
#include <cstring>

namespace convene::host {
namespace {

/// A message of one report, with room for a file.
struct report_message {
  explicit report_message(supervisor_report& what) noexcept
    : part{&what, sizeof what} {
    head.msg_iov = &part;
    head.msg_iovlen = 1;
    head.msg_control = with.data();
    head.msg_controllen = with.size();
  }
  report_message(const report_message&) = delete;
  report_message& operator=(const report_message&) = delete;

  iovec part;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> with{};
  msghdr head{};
};

} // namespace

bool send_with_file(int socket, supervisor_report what, int file) noexcept {
  report_message message{what};
  auto* const beside = CMSG_FIRSTHDR(&message.head);
  beside->cmsg_level = SOL_SOCKET;
  beside->cmsg_type = SCM_RIGHTS;
  beside->cmsg_len = CMSG_LEN(sizeof file);
  std::memcpy(CMSG_DATA(beside), &file, sizeof file);
  return sendmsg(socket, &message.head, MSG_NOSIGNAL) == sizeof what;
}

ssize_t receive_report(int socket, supervisor_report& into,
                       descriptor& file) noexcept {
  report_message message{into};
  const auto got = recvmsg(socket, &message.head,
                           MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  const auto* const beside = got > 0 ? CMSG_FIRSTHDR(&message.head) : nullptr;
  if (beside != nullptr && beside->cmsg_level == SOL_SOCKET
      && beside->cmsg_type == SCM_RIGHTS) {
    int number = -1;
    std::memcpy(&number, CMSG_DATA(beside), sizeof number);
    file = descriptor{number};
  }
  return got;
}

} // namespace convene::host
