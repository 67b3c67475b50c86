#pragma once

#include <convene/protocol/json/json_printer.hpp>
#include <convene/runtime/data/scenario/outputs.hpp>

#include <string>
#include <variant>
#include <vector>

namespace convene::host {

/// One of a session's documents, which has to outlive it.
struct document_file {
  std::string name; ///< of the file
  std::variant<const protocol::json::object*, const session::session_dialog*,
               const session_trace*>
    content;

  /// What is written into the file, in pieces.
  void print(const protocol::text_sink& to) const;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] CONVENE_API protocol::json::object object() const;
};

/// A session's documents, apart from the result.
[[nodiscard]] CONVENE_API std::vector<document_file>
document_files(const session_documents& documents);

/// Where all of a session's documents are, relative to its result.
[[nodiscard]] protocol::json::object
document_paths(const session_documents& documents, bool several_sessions);

} // namespace convene::host
