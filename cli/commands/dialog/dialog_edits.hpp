#pragma once

#include <convene/cli/common/options.hpp>

#include <vector>

namespace convene::cli {

/// Declares what continues a Dialog document, below `convene dialog`: append,
/// pause, resume, complete, cancel.
std::vector<command_line> add_dialog_edits(const command_line& dialog);

} // namespace convene::cli
