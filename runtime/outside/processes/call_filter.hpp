#pragma once

#include <string>

namespace convene::host {

/// The system calls that a confined program may make, as a seccomp program for
/// `bwrap --seccomp`. Refused, mostly with EPERM:
/// - what changes mounts, namespaces, modules, the clock or the machine;
/// - what reaches into other processes: ptrace, process_vm_*, pidfd_getfd;
/// - bpf, keyrings, perf_event_open, userfaultfd, io_uring, open_by_handle_at;
/// - sockets other than of IPv4, IPv6 and routing netlink: a path to a socket
///   of the file system leads out of the network namespace, and so do others;
/// - putting characters into a terminal (TIOCSTI, TIOCLINUX).
/// The calls of other architectures, such as 32-bit ones, end the program.
/// Empty if it cannot be made.
[[nodiscard]] const std::string& call_filter();

} // namespace convene::host
