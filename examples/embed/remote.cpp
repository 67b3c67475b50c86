// Starts a session on a running server, observes it, and answers for its
// people: remote URL FILE. The file is as examples/server/review.json; an API
// key, if the server wants one, is in CONVENE_KEY.
#include <boost/json/parse.hpp>
#include <convene/runtime/outside/client/client.hpp>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <thread>

namespace {

int failed(const convene::protocol::error& why) {
  std::cerr << why.message << " (" << why.rule << ")\n";
  return 1;
}

/// Approves whatever people are asked in this session.
void approve(const convene::client& server, const std::string& session,
             const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto open
      = server.questions({.session_id = session, .wait_ms = 10'000}, stop);
    if (!open)
      return;
    for (const auto& asked : open->all) {
      if (!server.answer(asked.token, asked.participant,
                         {.content = "APPROVED"}))
        return;
      std::cout << asked.participant + " approves\n";
    }
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3)
    return 2;
  const auto* key = std::getenv("CONVENE_KEY");
  const auto server = convene::client::open(
    {.server = argv[1], .key = key == nullptr ? "" : key});
  if (!server)
    return failed(server.error());
  std::ifstream file{argv[2]};
  const auto body
    = boost::json::parse(std::string{std::istreambuf_iterator<char>{file}, {}});
  const auto id = server->start_session(body.at("scenario"));
  if (!id)
    return failed(id.error());
  const std::jthread people{
    [&](const std::stop_token& stop) { approve(*server, *id, stop); }};
  const auto seen
    = server->observe_session(*id, [](const convene::observed_event& event) {
        std::cout << std::to_string(event.sequence) + ' ' + event.type + '\n';
        return true;
      });
  return seen ? 0 : failed(seen.error());
}
