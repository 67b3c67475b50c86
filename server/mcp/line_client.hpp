#pragma once

#include <convene/server/mcp/mcp_service.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

namespace convene::server {

/// A client of an MCP server that sends and gets a message a line, as over
/// standard input and output. Thread-safe.
class line_client {
public:
  /// `write` gets each answer, without its line end, one call at a time on any
  /// thread; it may block.
  line_client(std::shared_ptr<mcp_service> service, caller by,
              std::function<void(const std::string&)> write);

  /// Takes a line, without its end. An empty one is ignored.
  void receive(std::string_view line);

  /// A line was longer than a message may be, and was passed over.
  void receive_too_long();

  /// The client sends no more: calls that are under way answer with what there
  /// is by now. Returns once they have.
  void end();

private:
  struct open_call {
    std::stop_source stop;
    std::uint64_t number = 0; ///< an id may come again once it is cancelled
  };

  /// What calls under way share with it.
  struct shared {
    std::function<void(const std::string&)> write;
    std::mutex writing;
    std::mutex mutex;
    std::map<std::string, open_call> open; ///< by id; guarded by it
    std::uint64_t last_number = 0;         ///< likewise

    void send(const std::string& line);
    /// False: it was cancelled.
    bool close(const std::string& id, std::uint64_t number);
  };

  void ask(rpc_message what);
  void note(const rpc_message& what);

  const std::shared_ptr<mcp_service> service_;
  const caller by_;
  const std::shared_ptr<shared> shared_ = std::make_shared<shared>();
};

} // namespace convene::server
