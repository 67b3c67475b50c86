#pragma once

#include <convene/cli/commands/export/export_formats.hpp>
#include <convene/cli/commands/export/made_files.hpp>

namespace convene::cli {

/// Each session as the body of one POST to a collector.
[[nodiscard]] protocol::result<made_files>
export_otlp(const format_order& order, std::vector<std::string>& notes);

/// Each session as a trace of Perfetto.
[[nodiscard]] protocol::result<made_files>
export_perfetto(const format_order& order, std::vector<std::string>& notes);

/// All events, a CloudEvent a line.
[[nodiscard]] protocol::result<made_files>
export_cloudevents(const format_order& order, std::vector<std::string>& notes);

} // namespace convene::cli
