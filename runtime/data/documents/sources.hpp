#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace convene::host {

/// One file to export, or one log of several files.
struct export_source {
  std::filesystem::path path;
  std::string name;       ///< of the output file, below its folder
  bool is_events = false; ///< an event a line; else one document
};

/// A document or event read; `line` is 0 for a document. The value, and copies
/// in its memory, are there until the next item.
struct read_item {
  const export_source& from;
  const std::string& file;
  std::size_t line = 0;
  const boost::json::value& value;
};

using item_visitor
  = std::function<protocol::result<void>(const read_item& item)>;

/// Finds what to export: a document, a log, or all of both below a folder such
/// as `convene run` writes. Bounds as for validating a folder.
[[nodiscard]] protocol::result<std::vector<export_source>>
export_sources(const std::filesystem::path& path);

/// Visits each document or event, until `visit` fails; on a log, only events of
/// complete groups. Errors name the file and the line.
[[nodiscard]] protocol::result<void> visit_items(const export_source& source,
                                                 const item_visitor& visit);

} // namespace convene::host
