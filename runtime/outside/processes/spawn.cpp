#include <convene/runtime/outside/processes/spawn.hpp>
#include <convene/runtime/outside/processes/supervisor.hpp>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace convene::host {
namespace {

struct two_ends {
  descriptor ours;
  descriptor theirs;
};

enum class direction : bool { to_program, from_program };

bool open_pipe(two_ends& into, direction which) {
  int both[2];
  if (pipe2(both, O_CLOEXEC) != 0)
    return false;
  const bool reads = which == direction::from_program;
  into.ours = descriptor{both[reads ? 0 : 1]};
  into.theirs = descriptor{both[reads ? 1 : 0]};
  return fcntl(into.ours.get(), F_SETFL, O_NONBLOCK) == 0;
}

bool open_control(two_ends& into) {
  int both[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, both) != 0)
    return false;
  into.ours = descriptor{both[0]};
  into.theirs = descriptor{both[1]};
  return fcntl(into.ours.get(), F_SETFL, O_NONBLOCK) == 0;
}

/// A file in memory with these bytes, at its beginning; none if there are none.
bool open_filter(const std::string& bytes, descriptor& into) {
  if (bytes.empty())
    return true;
  into = descriptor{memfd_create("filter", MFD_CLOEXEC)};
  return into
         && pwrite(into.get(), bytes.data(), bytes.size(), 0)
              == static_cast<ssize_t>(bytes.size());
}

/// The texts as execve wants them; valid as long as `from` is.
std::vector<char*> pointers(const std::vector<std::string>& from) {
  std::vector<char*> all;
  all.reserve(from.size() + 1);
  for (const auto& each : from)
    all.push_back(const_cast<char*>(each.c_str()));
  all.push_back(nullptr);
  return all;
}

/// The user and the group, and no other, as they are.
std::pair<std::string, std::string> maps_of_user() {
  const auto user = std::to_string(geteuid());
  const auto group = std::to_string(getegid());
  return {user + ' ' + user + " 1", group + ' ' + group + " 1"};
}

rlim_t bound(std::int64_t value) {
  return value > 0 ? static_cast<rlim_t>(value) : RLIM_INFINITY;
}

tl::unexpected<protocol::error> no_room(const program& what) {
  return protocol::fail(protocol::errc::limit_reached,
                        name_of(what) + " was not started, the system says: "
                          + std::generic_category().message(errno),
                        "system_limit");
}

} // namespace

protocol::result<spawned> spawn(const program& what) {
  two_ends control;
  two_ends input;
  two_ends output;
  two_ends errors;
  descriptor filter;
  if (!open_control(control) || !open_pipe(input, direction::to_program)
      || !open_pipe(output, direction::from_program)
      || !open_pipe(errors, direction::from_program)
      || !open_filter(what.call_filter, filter))
    return no_room(what);
  const auto arguments = pointers(what.arguments);
  const auto environment = pointers(what.environment);
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const auto& limits = what.limits;
  launch prepared{
    .path = what.path.c_str(),
    .arguments = arguments.data(),
    .environment = environment.data(),
    .folder = what.working_folder.c_str(),
    .places = what.places.data(),
    .places_count = what.places.size(),
    .cpu_seconds = bound(limits.cpu_seconds),
    .memory_bytes = bound(limits.memory_bytes),
    .grace_ms = static_cast<std::int32_t>(
      std::clamp(limits.grace_ms, std::int64_t{0}, most)),
    .control = control.theirs.get(),
    .input = input.theirs.get(),
    .output = output.theirs.get(),
    .errors = errors.theirs.get(),
    .filter = filter.get(),
  };
  const auto [user_map, group_map] = maps_of_user();
  if (what.network) {
    prepared.has_network = true;
    if (geteuid() != 0) {
      prepared.user_map = user_map.c_str();
      prepared.group_map = group_map.c_str();
    }
  }
  const auto supervisor = fork();
  if (supervisor == 0)
    supervise(prepared);
  if (supervisor < 0)
    return no_room(what);
  return spawned{supervisor, std::move(control.ours), std::move(input.ours),
                 std::move(output.ours), std::move(errors.ours)};
}

} // namespace convene::host
