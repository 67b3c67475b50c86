// Whom a sandboxed program can talk to.

#include <attack/sandbox/cage.hpp>
#include <attack/sandbox/listener.hpp>
#include <catch2/catch.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

using namespace convene;
using test::cage;
using test::folder_of_test;
using test::listener;

TEST_CASE("a sandboxed program reaches no socket in the file system") {
  cage in;
  const folder_of_test scenario;
  in.by.readable = {scenario.path()};
  const auto name = "/convene-attack-" + std::to_string(getpid());
  for (const std::string& path :
       {"/tmp" + name, "/var/tmp" + name, "/run" + name,
        scenario.path().string() + name, in.folder().string() + name}) {
    if (access(path.substr(0, path.rfind('/')).c_str(), W_OK) != 0) {
      WARN("no socket can be made in " << path << " by this user");
      continue;
    }
    const listener at{path};
    chmod(path.c_str(), 0777);
    INFO(path);
    const auto how = in.python(R"(
import socket, sys
for kind in socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET:
    try:
        socket.socket(socket.AF_UNIX, kind).connect(sys.argv[1])
        print('connected')
    except OSError as failed:
        print(failed.errno)
)",
                               {path});
    CHECK(how == "97\n97\n97\n"); // EAFNOSUPPORT
    CHECK_FALSE(at.was_reached());
    unlink(path.c_str());
  }
}

TEST_CASE("a sandboxed program has no network but its own loopback") {
  cage in;
  const listener at;
  CHECK(in.python(R"(
import os, socket, sys
print(sorted(line.split(':')[0].strip() for line in open('/proc/net/dev') if ':' in line))
for host in '127.0.0.1', '::ffff:127.0.0.1', '169.254.169.254', '10.0.0.1', '192.0.2.1':
    try:
        socket.create_connection((host, int(sys.argv[1])), timeout=5)
        print('connected to', host)
    except OSError as failed:
        pass
)",
                  {std::to_string(at.port)})
        == "['lo']\n");
  CHECK_FALSE(at.was_reached());
}
