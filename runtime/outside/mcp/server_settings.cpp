#include <boost/json/array.hpp>
#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/documents/describe.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/mcp/server_settings.hpp>
#include <convene/runtime/outside/participants/process_settings.hpp>
#include <convene/runtime/outside/participants/reserved_headers.hpp>
#include <convene/session/options/options.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace convene::host {

/// A server as scenarios have it. `env` as an object and headers are read
/// apart.
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

/// {"env": NAME, "prefix": TEXT} in the form of other clients.
json::value plain_value(const json::value& from) {
  const auto* members = from.if_object();
  const auto* name = members ? members->if_contains("env") : nullptr;
  if (name == nullptr || !name->is_string()
      || members->size() != (members->contains("prefix") ? 2U : 1U))
    return from;
  auto made = std::string{protocol::text_of(*members, "prefix")};
  made.append("${env:").append(name->get_string()).append("}");
  return json::value(made);
}

bool read_values(protocol::reading& r, const json::object& from,
                 const protocol::place& at,
                 std::map<std::string, std::string>& to) {
  for (const auto& [name, value] : from) {
    const protocol::place here{&at, name, {}};
    auto& made = to[std::string{name}];
    if (!protocol::read(r, plain_value(value), here, protocol::anything, made))
      return false;
    if (made.find('\0') != made.npos)
      return r.refuse(here, "pattern", "no variable may have a NUL in it");
  }
  return true;
}

/// Headers that are MCP's own, besides those that no scenario sets.
bool is_own_header(std::string_view name) {
  std::string lower{name};
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return protocol::is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return is_reserved_header(lower) || lower.starts_with("mcp-")
         || lower == "accept" || lower == "last-event-id";
}

bool read_server_headers(protocol::reading& r, const json::value& from,
                         const protocol::place& at,
                         std::map<std::string, std::string>& to) {
  json::object all;
  if (!protocol::read_object(r, from, at, all) || !read_values(r, all, at, to))
    return false;
  for (const auto& [name, value] : to) {
    const auto is_token = [](char c) {
      return protocol::is_alnum(c) || c == '-' || c == '_';
    };
    const protocol::place here{&at, name, {}};
    if (is_own_header(name))
      return r.refuse(here, "header",
                      "this header is set by convene; leave it out");
    if (name.empty() || !std::ranges::all_of(name, is_token)
        || value.find_first_of("\r\n") != value.npos)
      return r.refuse(here, "header",
                      "a header's name has letters, digits, - and _, and its "
                      "value no line ends");
  }
  return true;
}

/// What contradicts what in settings that were read one by one.
bool check_transport(protocol::reading& r, const protocol::place& at,
                     const written_mcp_server& from) {
  const auto refuse = [&](std::string_view member, std::string_view rule,
                          std::string message, std::string value = {}) {
    return r.refuse(protocol::place{&at, member, {}}, rule, std::move(message),
                    std::move(value));
  };
  const bool is_remote = !from.to.url.empty();
  if (is_remote == !from.command.empty())
    return refuse(is_remote ? "url" : "command",
                  is_remote ? "transport" : "required",
                  "a server has either a command or a url");
  static constexpr std::array<std::string_view, 4> remote{"", "http",
                                                          "streamable-http",
                                                          "streamableHttp"};
  static constexpr std::array<std::string_view, 2> local{"", "stdio"};
  if (is_remote ? std::ranges::find(remote, from.type) == remote.end()
                : std::ranges::find(local, from.type) == local.end())
    return refuse("type", "transport",
                  is_remote ? "a server with a url speaks Streamable HTTP, "
                              "\"http\""
                            : "a server with a command speaks over \"stdio\"",
                  from.type);
  if (is_remote
      && (!from.args.empty() || !from.env.empty() || !from.to.values.empty()
          || !from.cwd.empty() || !from.to.working_folder.empty()
          || from.to.memory_bytes != 0))
    return refuse("url", "transport",
                  "a server with a url has no args, env, cwd, working_folder "
                  "or memory_bytes");
  if (!is_remote && !from.to.headers.empty())
    return refuse("headers", "transport",
                  "only a server with a url has headers");
  if (!from.cwd.empty() && !from.to.working_folder.empty())
    return refuse("cwd", "working_folder",
                  "is another name of working_folder; write one of them");
  return true;
}

} // namespace

void describe(auto& v, protocol::of<written_mcp_server> auto& x) {
  using protocol::between;
  v.defaulted("type", x.type);
  v.defaulted("command", x.command, protocol::at_least_one);
  v.defaulted("url", x.to.url, protocol::not_empty);
  v.ignored("headers");
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
  if (const auto* members = from.if_object(); members && !r.fault)
    if (const auto* headers = members->if_contains("headers"))
      read_server_headers(r, *headers, protocol::place{&at, "headers", {}},
                          made.to.headers);
  if (!r.fault)
    check_transport(r, at, made);
  auto& to = made.to;
  to.command = std::move(made.command);
  to.command.insert(to.command.end(), made.args.begin(), made.args.end());
  to.env = std::move(made.env);
  if (!made.cwd.empty())
    to.working_folder = std::move(made.cwd);
  if (!r.fault && to.url.empty())
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
