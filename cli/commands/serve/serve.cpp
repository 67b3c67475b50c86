#include <convene/cli/common/options.hpp>
#include <convene/cli/common/serve_arguments.hpp>
#include <convene/cli/common/server_run.hpp>

#include <memory>

namespace convene::cli {

void add_serve(CLI::App& program, common_options& common, action& chosen) {
  auto& command = *program.add_subcommand(
    "serve", "Serves sessions and runs of workflows by HTTP");
  auto arguments = std::make_shared<serve_arguments>();
  add_arguments(command, *arguments);
  add_common(command, common);
  command.footer(
    "Example: convene serve --data convene-data\n"
    "         convene serve --listen 0.0.0.0:8443 --data convene-data --keys "
    "keys.json --tls cert.pem,key.pem\n"
    "SIGINT and SIGTERM stop it: answers that are under way are finished, and "
    "the next start goes on with its sessions and runs.\n"
    "Exit codes: 0 after such a signal; 2 it could not start as asked; 3 the "
    "disk or the network failed.");
  command.callback([arguments, &common, &chosen] {
    chosen = [arguments, &common] { return run_server(*arguments, common); };
  });
}

} // namespace convene::cli
