// Which system calls a sandboxed program can make.

#include <attack/sandbox/cage.hpp>
#include <catch2/catch.hpp>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <string>
#include <tuple>

using namespace convene;
using test::cage;

namespace {

/// Prints the result of a system call: 0, or the name of what it failed with.
std::string with_calls(const std::string& script) {
  return R"(
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def call(number, *arguments):
    ctypes.set_errno(0)
    how = libc.syscall(ctypes.c_long(number),
                       *[a if isinstance(a, bytes) else ctypes.c_ulong(a) for a in arguments])
    return errno.errorcode[ctypes.get_errno()] if how < 0 else 'done'
)" + script;
}

} // namespace

TEST_CASE("a sandboxed program is refused what reaches out of it") {
  const auto [name, number, arguments, wanted]
    = GENERATE(table<std::string, long, std::string, std::string>({
      {"mount", SYS_mount, "b'none', b'/tmp', b'tmpfs', 0, 0", "EPERM"},
      {"umount2", SYS_umount2, "b'/tmp', 0", "EPERM"},
      {"move_mount", SYS_move_mount, "0, 0, 0, 0, 0", "EPERM"},
      {"open_tree", SYS_open_tree, "2**64-100, b'/', 0", "EPERM"},
      {"fsopen", SYS_fsopen, "b'tmpfs', 0", "EPERM"},
      {"pivot_root", SYS_pivot_root, "b'/', b'/'", "EPERM"},
      {"chroot", SYS_chroot, "b'/'", "EPERM"},
      {"unshare of nothing", SYS_unshare, "0", "EPERM"},
      {"unshare of users", SYS_unshare, "0x10000000", "EPERM"},
      {"setns", SYS_setns, "0, 0", "EPERM"},
      {"clone of users", SYS_clone, "0x10000000 | 17, 0, 0, 0, 0", "EPERM"},
      {"clone of mounts", SYS_clone, "0x00020000 | 17, 0, 0, 0, 0", "EPERM"},
      {"clone of a network", SYS_clone, "0x40000000 | 17, 0, 0, 0, 0", "EPERM"},
      {"clone3", SYS_clone3, "0, 0", "ENOSYS"},
      {"ptrace", SYS_ptrace, "0, 0, 0, 0", "EPERM"},
      {"process_vm_readv", SYS_process_vm_readv, "1, 0, 0, 0, 0, 0", "EPERM"},
      {"process_vm_writev", SYS_process_vm_writev, "1, 0, 0, 0, 0, 0", "EPERM"},
      {"pidfd_getfd", SYS_pidfd_getfd, "0, 0, 0", "EPERM"},
      {"kcmp", SYS_kcmp, "1, 1, 0, 0, 0", "EPERM"},
      {"bpf", SYS_bpf, "0, 0, 0", "EPERM"},
      {"keyctl", SYS_keyctl, "0, 0, 0, 0, 0", "EPERM"},
      {"add_key", SYS_add_key, "b'user', b'x', b'y', 1, 2**64-3", "EPERM"},
      {"request_key", SYS_request_key, "b'user', b'x', 0, 0", "EPERM"},
      {"perf_event_open", SYS_perf_event_open, "0, 0, 0, 0, 0", "EPERM"},
      {"userfaultfd", SYS_userfaultfd, "2**64-1", "EPERM"},
      {"io_uring_setup", SYS_io_uring_setup, "1, 0", "ENOSYS"},
      {"open_by_handle_at", SYS_open_by_handle_at, "0, 0, 0", "EPERM"},
      {"kexec_load", SYS_kexec_load, "0, 0, 0, 0", "EPERM"},
      {"finit_module", SYS_finit_module, "0, b'', 0", "EPERM"},
      {"reboot", SYS_reboot, "0, 0, 0, 0", "EPERM"},
      {"TIOCSTI", SYS_ioctl, "0, 0x5412, b'x'", "EPERM"},
      {"TIOCSTI with more bits", SYS_ioctl, "0, 0x700005412, b'x'", "EPERM"},
      {"TIOCLINUX", SYS_ioctl, "0, 0x541c, b'x'", "EPERM"},
      {"a unix socket", SYS_socket, "1, 1, 0", "EAFNOSUPPORT"},
      {"a unix socket with more bits", SYS_socket, "(7 << 32) | 1, 1, 0",
       "EAFNOSUPPORT"},
      {"a unix pair of datagrams", SYS_socketpair, "1, 2, 0, bytes(8)",
       "EPERM"},
      {"a unix pair of datagrams, by flags", SYS_socketpair,
       "1, 2 | 0x80000, 0, bytes(8)", "EPERM"},
      {"a unix pair of the raw kind", SYS_socketpair, "1, 3, 0, bytes(8)",
       "EPERM"},
      {"a pair of another family", SYS_socketpair, "2, 1, 0, bytes(8)",
       "EAFNOSUPPORT"},
      {"open_tree_attr", 467, "2**64-100, b'/', 0, 0, 0", "ENOSYS"},
      {"a call of the future", 999, "0, 0, 0, 0", "ENOSYS"},
      {"openat2", SYS_openat2, "2**64-100, b'.', bytes(24), 24", "ENOSYS"},
      {"a socket of the host", SYS_socket, "40, 1, 0", "EAFNOSUPPORT"}, // vsock
      {"a socket of the kernel's ciphers", SYS_socket, "38, 5, 0",
       "EAFNOSUPPORT"},
      {"a socket of packets", SYS_socket, "17, 3, 0", "EAFNOSUPPORT"},
      {"netlink other than routes", SYS_socket, "16, 3, 12", "EPROTONOSUPPORT"},
    }));
  cage in;
  INFO(name);
  CHECK(in.python(with_calls("print(call(" + std::to_string(number) + ", "
                             + arguments + "))"))
        == wanted + '\n');
}

TEST_CASE("a sandboxed program leaves no file that gives others its rights") {
  cage in;
  CHECK(
    in.python(with_calls(R"(
import os
open('f', 'w').close(); os.mkdir('d'); at = 2**64 - 100
fd = os.open('f', os.O_RDWR)
made = [call()" + std::to_string(SYS_fchmod)
                         + R"(, fd, mode) for mode in (0o4755, 0o2755, 0o6755)]
made += [call()" + std::to_string(SYS_fchmodat)
                         + R"(, at, b'f', 0o4755),
         call()" + std::to_string(SYS_fchmodat)
                         + R"(, at, b'd', 0o2755),
         call(452, at, b'f', 0o4755, 0),
         call()" + std::to_string(SYS_openat)
                         + R"(, at, b'g', os.O_CREAT | os.O_WRONLY, 0o4755),
         call()" + std::to_string(SYS_openat)
                         + R"(, at, b'.', os.O_TMPFILE | os.O_WRONLY, 0o2755),
         call()" + std::to_string(SYS_mkdirat)
                         + R"(, at, b'h', 0o2755),
         call()" + std::to_string(SYS_mknodat)
                         + R"(, at, b'i', 0o104755, 0)]
print(set(made))
print([call()" + std::to_string(SYS_fchmodat)
                         + R"(, at, b'f', 0o1755),
       call()" + std::to_string(SYS_openat)
                         + R"(, at, b'f', os.O_RDONLY, 0o4755) != 'EPERM',
       call()" + std::to_string(SYS_mknodat)
                         + R"(, at, b'j', 0o100755, 0)])
print([name for name in os.listdir('.') if os.stat(name).st_mode & 0o6000])
)")) == "{'EPERM'}\n['done', True, 'done']\n[]\n");
#ifdef __x86_64__
  CHECK(in.python(with_calls(R"(
open('k', 'w').close()
print(call(90, b'k', 0o4755), call(85, b'l', 0o2755), call(133, b'm', 0o104755, 0),
      call(83, b'n', 0o2755), call(2, b'o', 0o101, 0o4755))
)")) == "EPERM EPERM EPERM EPERM EPERM\n");
#endif
}

#ifdef __x86_64__
TEST_CASE("a call of another architecture ends a sandboxed program") {
  cage in;
  const auto* const how = GENERATE(
    // getpid, by the numbers of x32
    "call(0x40000000 | 39)",
    // getpid, by int 0x80: mov eax, 20; int 0x80; ret
    R"(
import mmap
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes.fromhex('b814000000cd80c3'))
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
)");
  const auto said = in.python(with_calls(
    std::string{"print('here', flush=True)\n"} + how + "\nprint('alive')\n"));
  CHECK_THAT(said, Catch::StartsWith("here\n"));
  CHECK_THAT(said, Catch::Contains("exited with code"));
  CHECK(said.find("alive") == said.npos);
}
#endif

TEST_CASE("what usual programs do works in the sandbox") {
  cage in;
  CHECK(in.python(R"(
import asyncio, multiprocessing, os, socket, subprocess, tempfile, threading
def double(x): return 2 * x
pool = multiprocessing.Pool(2)
print(pool.map(double, [1, 2, 3]))
pool.close(); pool.join()
print(subprocess.run(['sh', '-c', 'echo $((6 * 7)) | cat'], capture_output=True).stdout)
async def both(): return await asyncio.gather(asyncio.sleep(0, 'a'), asyncio.to_thread(lambda: 'b'))
print(asyncio.run(both()))
server = socket.create_server(('127.0.0.1', 0))
client = socket.create_connection(server.getsockname())
peer, _ = server.accept()
client.sendall(b'hello'); print(peer.recv(5))
one, other = socket.socketpair(); one.sendall(b'x'); print(other.recv(1))
with tempfile.NamedTemporaryFile() as f: f.write(b'x'); print(f.name.startswith('/tmp/'))
print(len(os.sched_getaffinity(0)) > 0, os.cpu_count() > 0)
)") == "[2, 4, 6]\nb'42\\n'\n['a', 'b']\nb'hello'\nb'x'\nTrue\nTrue True\n");
}
