#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/documents/describe.hpp>
#include <convene/runtime/outside/mcp/server_settings.hpp>
#include <convene/runtime/outside/participants/process_settings.hpp>
#include <convene/session/options/options.hpp>

#include <utility>

namespace convene::host {
namespace {

/// The longest message of a server.
constexpr std::size_t message_bytes_max = std::size_t{16} << 20;

} // namespace

void describe(auto& v, protocol::of<mcp_server_settings> auto& x) {
  using protocol::between;
  v.member("command", x.command, protocol::at_least_one);
  v.defaulted("env", x.env, protocol::unique_texts);
  v.defaulted("timeout_ms", x.timeout_ms, between(1, session::duration_ms_max));
  v.defaulted("memory_bytes", x.memory_bytes,
              between(1, std::int64_t{1} << 50));
  v.defaulted("working_folder", x.working_folder, protocol::not_empty);
}

protocol::result<mcp_server_settings>
read_mcp_server_settings(const protocol::json::value& from,
                         std::string_view pointer) {
  return read_with_command<mcp_server_settings>(from, pointer);
}

program program_for(const mcp_server_settings& from, std::string file,
                    std::vector<std::string> environment,
                    std::string working_folder) {
  program made;
  made.path = std::move(file);
  made.arguments = from.command;
  made.environment = std::move(environment);
  made.working_folder = std::move(working_folder);
  made.limits.memory_bytes = from.memory_bytes;
  made.limits.output_bytes_max = message_bytes_max;
  return made;
}

} // namespace convene::host
