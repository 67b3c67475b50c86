#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/strict/reading_note.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// A written file and its content.
struct exported_file {
  std::string from;
  std::string file;
  std::size_t documents = 0; ///< or events
  std::size_t derived = 0;   ///< events that only the strict form has
};

/// A note and the file it concerns.
struct export_note {
  std::string file;
  std::size_t line = 0; ///< of an event; 0: a document
  protocol::reading_note what;
};

struct export_report {
  std::vector<exported_file> files;
  std::vector<std::string> left_out; ///< files of no official schema
  /// Why blobs that logs name did not go along; only with a folder, into which
  /// the others are copied.
  std::vector<protocol::error> blobs_lost;
  std::size_t notes_total = 0;
  std::vector<export_note> notes; ///< the first ones
  boost::json::object aliases;    ///< as in aliases.json
};

/// Receives a piece of a file; the pieces of one file arrive consecutively.
using export_sink = std::function<protocol::result<void>(
  const std::string& file, std::string_view text)>;

/// Writes the strict form of a document, a log, or all of both below a folder,
/// and `aliases.json`. Reads everything twice: first for the ids. Each document
/// and event is valid by its official schema. Fails at the first that cannot
/// be; rule `duplicate_event_id` for an event that occurs twice. In a folder,
/// files without an official schema are omitted; a single such file is an
/// error.
[[nodiscard]] protocol::result<export_report>
export_strict(const std::filesystem::path& path, const export_sink& sink);

/// The same into a folder, which must be new or empty. The output is written
/// beside it and then renamed: whole, or not at all.
[[nodiscard]] protocol::result<export_report>
export_strict_to(const std::filesystem::path& path,
                 const std::filesystem::path& folder);

} // namespace convene::host
