#include <convene/cli/common/options.hpp>
#include <convene/cli/common/serve_arguments.hpp>
#include <convene/cli/common/server_run.hpp>

namespace convene::cli {

void add_serve(const command_line& program) {
  program.add<serve_arguments>("serve", run_server, add_arguments);
}

} // namespace convene::cli
