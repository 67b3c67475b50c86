#include <boost/json/array.hpp>
#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/documents/describe.hpp>
#include <convene/runtime/outside/mcp/server_settings.hpp>
#include <convene/runtime/outside/participants/process_settings.hpp>
#include <convene/session/options/options.hpp>

#include <utility>

namespace convene::host {

/// A server as scenarios have it. `env` as an object is read apart.
struct written_mcp_server {
  std::string type;
  std::vector<std::string> command;
  std::vector<std::string> args;
  std::vector<std::string> env;
  std::string cwd;
  mcp_server_settings to;
};

namespace {

namespace json = protocol::json;

/// The longest message of a server.
constexpr std::size_t message_bytes_max = std::size_t{16} << 20;

bool read_values(protocol::reading& r, const json::object& from,
                 const protocol::place& at,
                 std::map<std::string, std::string>& to) {
  for (const auto& [name, value] : from) {
    const protocol::place here{&at, name, {}};
    auto& made = to[std::string{name}];
    if (!protocol::read(r, value, here, protocol::anything, made))
      return false;
    if (made.find('\0') != made.npos)
      return r.refuse(here, "pattern", "no variable may have a NUL in it");
  }
  return true;
}

} // namespace

void describe(auto& v, protocol::of<written_mcp_server> auto& x) {
  using protocol::between;
  v.defaulted("type", x.type);
  v.member("command", x.command, protocol::at_least_one);
  v.defaulted("args", x.args);
  v.defaulted("env", x.env, protocol::unique_texts);
  v.defaulted("timeout_ms", x.to.timeout_ms,
              between(1, session::duration_ms_max));
  v.defaulted("memory_bytes", x.to.memory_bytes,
              between(1, std::int64_t{1} << 50));
  v.defaulted("working_folder", x.to.working_folder, protocol::not_empty);
  v.defaulted("cwd", x.cwd, protocol::not_empty);
}

std::string_view variable_in(std::string_view value, std::string_view& before) {
  constexpr std::string_view opening = "${env:";
  const auto at = value.rfind(opening);
  before = value;
  if (at == value.npos || !value.ends_with('}'))
    return {};
  before = value.substr(0, at);
  value.remove_prefix(at + opening.size());
  value.remove_suffix(1);
  return value;
}

protocol::result<mcp_server_settings>
read_mcp_server_settings(const json::value& from, std::string_view pointer) {
  protocol::reading r;
  const protocol::place at{.name = pointer};
  written_mcp_server made;
  auto plain = from;
  if (auto* const members = plain.if_object()) {
    if (auto* command = members->if_contains("command");
        command != nullptr && command->is_string())
      *command = json::array{std::move(*command)};
    if (const auto* env = members->if_contains("env");
        env && env->is_object()) {
      const protocol::place inside{&at, "env", {}};
      if (!read_values(r, env->get_object(), inside, made.to.values))
        return protocol::fail(*std::move(r.fault));
      members->erase("env");
    }
  }
  protocol::read(r, plain, at, protocol::anything, made);
  if (!r.fault && !made.type.empty() && made.type != "stdio")
    r.refuse(protocol::place{&at, "type", {}}, "transport",
             "a server with a command speaks over stdio", made.type);
  if (!r.fault && !made.cwd.empty() && !made.to.working_folder.empty())
    r.refuse(protocol::place{&at, "cwd", {}}, "working_folder",
             "is another name of working_folder; write one of them");
  auto& to = made.to;
  to.command = std::move(made.command);
  to.command.insert(to.command.end(), made.args.begin(), made.args.end());
  to.env = std::move(made.env);
  if (!made.cwd.empty())
    to.working_folder = std::move(made.cwd);
  if (!r.fault)
    check_command(r, to.command, at);
  if (r.fault)
    return protocol::fail(*std::move(r.fault));
  return std::move(to);
}

program program_for(const mcp_server_settings& from, std::string file,
                    std::vector<std::string> environment,
                    std::string working_folder) {
  program made;
  made.path = std::move(file);
  made.arguments = from.command;
  made.environment = std::move(environment);
  for (const auto& [name, value] : from.values)
    made.environment.push_back(name + '=' + value);
  made.working_folder = std::move(working_folder);
  made.limits.memory_bytes = from.memory_bytes;
  made.limits.output_bytes_max = message_bytes_max;
  return made;
}

} // namespace convene::host
