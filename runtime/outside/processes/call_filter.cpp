#include <convene/runtime/log/files/descriptor.hpp>
#include <convene/runtime/outside/processes/call_filter.hpp>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/tiocl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <utility>

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

/// fchmodat2, which libseccomp may not know yet.
constexpr int fchmodat2_number = 452;

/// Where calls that give a file its mode have it.
constexpr std::array<std::pair<int, unsigned>, 8> mode_arguments{{
  {SCMP_SYS(chmod), 1},
  {SCMP_SYS(fchmod), 1},
  {SCMP_SYS(fchmodat), 2},
  {fchmodat2_number, 2},
  {SCMP_SYS(creat), 1},
  {SCMP_SYS(mkdir), 1},
  {SCMP_SYS(mkdirat), 2},
  {SCMP_SYS(mknod), 1},
}};

/// Calls from this number on, the same for all architectures, came after this
/// filter, with Linux 6.13: setxattrat, open_tree_attr and so on.
constexpr std::uint32_t unknown_calls_first = 463;
/// Numbers of the x32 architecture, which end the program.
constexpr std::uint32_t x32_calls_first = 0x4000'0000;

/// Those for which programs have another way, which they take on ENOSYS. The
/// flags of clone3 and the modes of openat2 are in memory, and io_uring opens
/// sockets: none of them can be judged by a filter.
constexpr std::array missing_calls{SCMP_SYS(clone3), SCMP_SYS(io_uring_setup),
                                   SCMP_SYS(io_uring_enter),
                                   SCMP_SYS(io_uring_register),
                                   SCMP_SYS(openat2)};

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
  rules.refuse(SCMP_SYS(socketpair), EAFNOSUPPORT,
               {is(0, SCMP_CMP_NE, AF_UNIX)});
  // One of a pair can be sent to a path, too, if it is not connected for good.
  constexpr scmp_datum_t kind = 0xf;
  for (const int which : {SOCK_DGRAM, SOCK_RAW})
    rules.refuse(SCMP_SYS(socketpair), EPERM, {has_bits(1, kind, which)});
}

/// No file gets the rights of its owner or group: outside of the sandbox, any
/// user could have them.
void refuse_set_ids(filter_rules& rules) {
  for (const int bit : {S_ISUID, S_ISGID}) {
    const auto mask = static_cast<scmp_datum_t>(bit);
    for (const auto& [call, argument] : mode_arguments)
      rules.refuse(call, EPERM, {has_bits(argument, mask, bit)});
    rules.refuse(SCMP_SYS(mknodat), EPERM, {has_bits(2, mask, bit)});
    // The mode counts only if a file may be made.
    for (const int makes : {O_CREAT, O_TMPFILE & ~O_DIRECTORY}) {
      const auto flag = static_cast<scmp_datum_t>(makes);
      rules.refuse(SCMP_SYS(open), EPERM,
                   {has_bits(1, flag, makes), has_bits(2, mask, bit)});
      rules.refuse(SCMP_SYS(openat), EPERM,
                   {has_bits(2, flag, makes), has_bits(3, mask, bit)});
    }
  }
}

/// What comes before all else: calls that nobody here has judged seem not to
/// exist.
std::string unknown_calls_filter() {
  constexpr std::array<sock_filter, 4> steps{{
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, x32_calls_first, 2, 0),
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, unknown_calls_first, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
  }};
  std::string made(sizeof steps, '\0');
  std::memcpy(made.data(), steps.data(), sizeof steps);
  return made;
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
  refuse_set_ids(rules);
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
      return got == 0 ? unknown_calls_filter() + all : std::string{};
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
