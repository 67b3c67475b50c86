#pragma once

#include <convene/cli/common/options.hpp>

namespace convene::cli {

/// Declares what continues a Dialog document, below `convene dialog`: append,
/// pause, resume, complete, cancel. As for a command, the references must
/// outlive the parsing and the action.
void add_dialog_edits(CLI::App& dialog, common_options& common, action& chosen);

} // namespace convene::cli
