// What a sandboxed program reaches through the proxy, and what not.

#include <attack/sandbox/cage.hpp>
#include <attack/sandbox/listener.hpp>
#include <catch2/catch.hpp>
#include <convene/runtime/outside/program_net/program_proxy.hpp>
#include <sys/socket.h>

#include <array>
#include <string>
#include <thread>

using namespace convene;
using test::cage;
using test::listener;

namespace {

/// Answers each connection with what it was sent up to an empty line.
class echo_server {
public:
  echo_server()
    : thread_{[this](const std::stop_token& stop) {
        while (!stop.stop_requested())
          if (auto client = at_.wait(); client)
            answer(client.get());
      }} {
    // nop
  }

  [[nodiscard]] int port() const {
    return at_.port;
  }

private:
  static void answer(int client) {
    std::string all = "HTTP/1.0 200 OK\r\n\r\n";
    std::array<char, 4096> part{};
    while (all.find("\r\n\r\n", 19) == all.npos) {
      const auto got = recv(client, part.data(), part.size(), 0);
      if (got <= 0)
        return;
      all.append(part.data(), static_cast<std::size_t>(got));
    }
    send(client, all.data(), all.size(), MSG_NOSIGNAL);
  }

  listener at_;
  std::jthread thread_;
};

/// Only this name and port, wherever it leads.
host::network_door door_to(const std::string& name, int port,
                           bool may_be_here = true) {
  return [=](host::descriptor at) {
    return host::serve_proxy(
      std::move(at), {.may_reach =
                        [=](const std::string& host, std::uint16_t to) {
                          return host == name && to == port;
                        },
                      .may_connect =
                        [=](const sockaddr& address) {
                          return may_be_here
                                 || host::is_beyond_this_machine(address);
                        }});
  };
}

constexpr auto fetch = R"(
import socket, sys, urllib.error, urllib.request
for url in sys.argv[1:]:
    try:
        text = urllib.request.urlopen(url, timeout=30).read().decode()
        print(text.split('\r\n')[0], 'Proxy-' in text)
    except urllib.error.HTTPError as failed:
        print(failed.code)
    except OSError as failed:
        print(type(failed).__name__)
)";

constexpr auto tunnel = R"(
import os, socket, sys
host, port = os.environ['HTTPS_PROXY'].removeprefix('http://').split(':')
for target in sys.argv[1:]:
    one = socket.create_connection((host, int(port)))
    one.sendall(f'CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n'.encode())
    said = one.recv(4096).split(b'\r\n')[0].decode()
    if ' 200 ' in said:
        one.sendall(b'hello\r\n\r\n')
        one.shutdown(socket.SHUT_WR)
        while part := one.recv(4096): said += ' ' + part.decode().replace('\r\n', '|')
    print(said)
)";

} // namespace

TEST_CASE("a sandboxed program reaches exactly the hosts that it may") {
  cage in;
  const echo_server server;
  const listener other;
  const auto here = std::to_string(server.port());
  const auto elsewhere = std::to_string(other.port);
  in.by.network = door_to("0x7f.1", server.port());
  CHECK(in.python(fetch, {"http://0x7f.1:" + here + "/x?y",
                          "http://0x7f.1:" + elsewhere + "/",
                          "http://example.invalid/", "https://0x7f.1:1/"})
        == "GET /x?y HTTP/1.1 False\n403\n403\nURLError\n");
  CHECK(in.python(tunnel, {"0x7f.1:" + here, "0X7F.1:" + here,
                           "0x7f.1:" + elsewhere, "localhost:" + here,
                           "127.0.0.1:" + here, "0x7f.1", "nonsense:x"})
        == "HTTP/1.1 200 Connection established HTTP/1.0 200 OK||hello||\n"
           "HTTP/1.1 200 Connection established HTTP/1.0 200 OK||hello||\n"
           "HTTP/1.1 403 Forbidden\nHTTP/1.1 403 Forbidden\n"
           "HTTP/1.1 403 Forbidden\nHTTP/1.1 400 Bad Request\n"
           "HTTP/1.1 400 Bad Request\n");
  // Not past the proxy.
  CHECK(
    in.python("import socket, sys\n"
              "try: socket.create_connection(('127.0.0.1', int(sys.argv[1])))\n"
              "except OSError as failed: print(type(failed).__name__)",
              {elsewhere})
    == "ConnectionRefusedError\n");
  CHECK_FALSE(other.was_reached());
}

TEST_CASE("a name that leads to this machine is not reached, whoever may be") {
  cage in;
  const listener server;
  in.by.network = door_to("0x7f.1", server.port, false);
  CHECK(in.python(tunnel, {"0x7f.1:" + std::to_string(server.port)})
        == "HTTP/1.1 403 Forbidden\n");
  CHECK_FALSE(server.was_reached());
}

TEST_CASE("a program with a proxy is as confined as one without") {
  cage in;
  in.by.network = door_to("nowhere", 1);
  CHECK(in.python(R"(
import os, socket
print(sorted(line.split(':')[0].strip() for line in open('/proc/net/dev') if ':' in line))
for family in socket.AF_UNIX, socket.AF_PACKET, 40:
    try: print(socket.socket(family))
    except OSError as failed: print(failed.errno)
print([line for line in open('/proc/self/status') if line.startswith('CapEff')])
try: open('/proc/sys/net/ipv4/ip_forward', 'w')
except OSError as failed: print('read-only')
)") == "['lo']\n97\n97\n97\n['CapEff:\\t0000000000000000\\n']\nread-only\n");
}
