// Serves the sessions of this program over HTTP: embed-server PORT (0: a
// free one). It prints the URL of a session, and ends with its input.
#include <convene/server/server.hpp>

#include <cstdlib>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
  const int port = argc > 1 ? std::atoi(argv[1]) : 0;
  auto served = convene::server::running_server::start(
    {.data = "embed-server-data", .listen = {.port = std::uint16_t(port)}});
  if (!served) {
    std::cerr << served.error().message << '\n';
    return 1;
  }
  const auto echo = [](const convene::turn_request& turn) {
    return convene::reply{.content = "done: " + turn.task};
  };
  const auto session = served->runtime().start(
    {.title = "Nightly report",
     .mode = convene::mode::round_robin,
     .participants = {convene::agent("writer", "role-writer", echo),
                      convene::agent("checker", "role-checker", echo)},
     .task = "Summarize the incidents of today"});
  std::cout << served->url() << "/v1/sessions/" << session.id() << std::endl;
  std::string line;
  while (std::getline(std::cin, line)) {
  }
} // the server stops, and its sessions are resumed by the next start
