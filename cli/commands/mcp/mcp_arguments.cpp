#include <convene/cli/commands/mcp/mcp_arguments.hpp>

namespace convene::cli {

void add_mcp_arguments(const command_line& command, mcp_arguments& arguments) {
  constexpr std::size_t sessions_most = 10'000;
  auto& serve = arguments.serve;
  command.add("--scenarios", arguments.scenarios);
  command.add("--data", serve.data);
  command.add("--sessions", arguments.sessions, whole_number(1, sessions_most));
  command.add("--durability", serve.durability,
              one_of({"none", "group", "strict"}));
  command.add("--allow", serve.allow);
  command.add("--sandbox", serve.sandbox);
  command.add("--log-prompts", serve.log_prompts);
  const auto listen = command.add("--listen", serve.listen);
  command.add("--keys", serve.keys).needs(listen);
  command.add("--tls", serve.tls).needs(listen);
  command.add("--name", serve.names).needs(listen);
  command.add("--origin", serve.origins).needs(listen);
  command.add("--limit", serve.limits).needs(listen);
}

} // namespace convene::cli
