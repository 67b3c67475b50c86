#pragma once

#include <convene/cli/commands/drift/drift_arguments.hpp>
#include <convene/integrations/drift/drift_check.hpp>

namespace convene::cli {

/// Compares files with what is tracked, once or until it is interrupted, and
/// reconciles and tells as the arguments say. Returns the exit code.
[[nodiscard]] int
compare_files(const drift_arguments& arguments, const common_options& common,
              host::tracked_files tracked, host::project_folder folder,
              host::drift_scope scope);

} // namespace convene::cli
