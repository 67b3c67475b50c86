#include <convene/runtime/log/files/descriptor.hpp>
#include <convene/runtime/outside/processes/call_filter.hpp>
#include <linux/tiocl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <initializer_list>
#include <memory>

namespace convene::host {
namespace {

using call_filter_context = std::unique_ptr<void, decltype(&seccomp_release)>;

constexpr std::array refused_calls{
  // mounts and roots
  SCMP_SYS(mount), SCMP_SYS(umount), SCMP_SYS(umount2), SCMP_SYS(pivot_root),
  SCMP_SYS(chroot), SCMP_SYS(move_mount), SCMP_SYS(open_tree), SCMP_SYS(fsopen),
  SCMP_SYS(fsconfig), SCMP_SYS(fsmount), SCMP_SYS(fspick),
  SCMP_SYS(mount_setattr), SCMP_SYS(quotactl), SCMP_SYS(quotactl_fd),
  SCMP_SYS(swapon), SCMP_SYS(swapoff), SCMP_SYS(name_to_handle_at),
  SCMP_SYS(open_by_handle_at), SCMP_SYS(fanotify_init),
  // namespaces
  SCMP_SYS(unshare), SCMP_SYS(setns),
  // other processes
  SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
  SCMP_SYS(process_madvise), SCMP_SYS(pidfd_getfd), SCMP_SYS(kcmp),
  // doors into the kernel
  SCMP_SYS(bpf), SCMP_SYS(keyctl), SCMP_SYS(add_key), SCMP_SYS(request_key),
  SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd), SCMP_SYS(lookup_dcookie),
  // the machine
  SCMP_SYS(kexec_load), SCMP_SYS(kexec_file_load), SCMP_SYS(init_module),
  SCMP_SYS(finit_module), SCMP_SYS(delete_module), SCMP_SYS(create_module),
  SCMP_SYS(reboot), SCMP_SYS(acct), SCMP_SYS(syslog), SCMP_SYS(sethostname),
  SCMP_SYS(setdomainname), SCMP_SYS(settimeofday), SCMP_SYS(clock_settime),
  SCMP_SYS(iopl), SCMP_SYS(ioperm), SCMP_SYS(vhangup), SCMP_SYS(uselib),
  SCMP_SYS(nfsservctl), SCMP_SYS(_sysctl)};

/// Those for which programs have another way, which they take on ENOSYS. The
/// flags of clone3 are in memory, and io_uring opens sockets: neither can be
/// judged by a filter.
constexpr std::array missing_calls{SCMP_SYS(clone3), SCMP_SYS(io_uring_setup),
                                   SCMP_SYS(io_uring_enter),
                                   SCMP_SYS(io_uring_register)};

constexpr std::array new_namespaces{CLONE_NEWUSER,  CLONE_NEWNS,  CLONE_NEWPID,
                                    CLONE_NEWNET,   CLONE_NEWIPC, CLONE_NEWUTS,
                                    CLONE_NEWCGROUP};

/// A filter compares 64 bits, of which the kernel takes 32 for these arguments:
/// the others must not make a difference.
constexpr scmp_datum_t low_half = 0xffff'ffff;

/// Conditions on an argument of a call, counted from 0.
scmp_arg_cmp is(unsigned argument, scmp_compare how, int value) {
  return {argument, how, static_cast<scmp_datum_t>(value), 0};
}

scmp_arg_cmp has_bits(unsigned argument, scmp_datum_t of, int value) {
  return {argument, SCMP_CMP_MASKED_EQ, of, static_cast<scmp_datum_t>(value)};
}

class filter_rules {
public:
  explicit filter_rules(scmp_filter_ctx to) : to_{to} {
    // nop
  }

  /// Under all of these conditions.
  void refuse(int call, int with,
              std::initializer_list<scmp_arg_cmp> when = {}) {
    const auto error = static_cast<std::uint16_t>(with);
    if (seccomp_rule_add_array(to_, SCMP_ACT_ERRNO(error), call,
                               static_cast<unsigned>(when.size()), when.begin())
        != 0)
      is_good_ = false;
  }

  [[nodiscard]] bool is_good() const {
    return is_good_;
  }

private:
  scmp_filter_ctx to_;
  bool is_good_ = true;
};

void refuse_sockets(filter_rules& rules) {
  for (int family = 0; family < AF_NETLINK; ++family)
    if (family != AF_INET && family != AF_INET6)
      rules.refuse(SCMP_SYS(socket), EAFNOSUPPORT,
                   {is(0, SCMP_CMP_EQ, family)});
  rules.refuse(SCMP_SYS(socket), EAFNOSUPPORT,
               {is(0, SCMP_CMP_GT, AF_NETLINK)});
  // NETLINK_ROUTE is 0.
  rules.refuse(SCMP_SYS(socket), EPROTONOSUPPORT,
               {is(0, SCMP_CMP_EQ, AF_NETLINK), is(2, SCMP_CMP_NE, 0)});
  // One of a pair can be sent to a path, too, if it is not connected for good.
  constexpr scmp_datum_t kind = 0xf;
  for (const int which : {SOCK_DGRAM, SOCK_RAW})
    rules.refuse(SCMP_SYS(socketpair), EPERM, {has_bits(1, kind, which)});
}

call_filter_context made_filter() {
  call_filter_context made{seccomp_init(SCMP_ACT_ALLOW), seccomp_release};
  if (!made)
    return made;
  filter_rules rules{made.get()};
  for (const int call : refused_calls)
    rules.refuse(call, EPERM);
  for (const int call : missing_calls)
    rules.refuse(call, ENOSYS);
  for (const int flag : new_namespaces)
    rules.refuse(SCMP_SYS(clone), EPERM,
                 {has_bits(0, static_cast<scmp_datum_t>(flag), flag)});
  for (const int request : {TIOCSTI, TIOCLINUX})
    rules.refuse(SCMP_SYS(ioctl), EPERM, {has_bits(1, low_half, request)});
  refuse_sockets(rules);
  if (!rules.is_good()
      || seccomp_attr_set(made.get(), SCMP_FLTATR_ACT_BADARCH,
                          SCMP_ACT_KILL_PROCESS)
           != 0)
    made.reset();
  return made;
}

std::string exported_filter() {
  const auto made = made_filter();
  const descriptor file{memfd_create("filter", MFD_CLOEXEC)};
  if (!made || !file || seccomp_export_bpf(made.get(), file.get()) != 0)
    return {};
  std::string all;
  std::array<char, 4096> part; // NOLINT: filled by pread
  for (;;) {
    const auto got = pread(file.get(), part.data(), part.size(),
                           static_cast<off_t>(all.size()));
    if (got <= 0)
      return got == 0 ? all : std::string{};
    all.append(part.data(), static_cast<std::size_t>(got));
  }
}

} // namespace

const std::string& call_filter() {
  // Never destroyed: a runtime may use it while the program ends.
  static const auto& made = *new std::string{exported_filter()};
  return made;
}

} // namespace convene::host
