#pragma once

#include <convene/protocol/documents/common.hpp>

namespace convene::protocol {

enum class context_status : std::uint8_t {
  draft,
  active,
  suspended,
  archived,
  closed
};
CONVENE_WORDS(context_status, "draft", "active", "suspended", "archived",
              "closed");

/// The scope that everything else belongs to (mplp-context.schema.json).
struct context {
  metadata meta;
  std::optional<protocol::governance> governance;
  std::string context_id; ///< v4 UUID
  json::object root;      ///< open; `domain` and `environment` are required
  std::string title;      ///< not empty
  std::optional<std::string> summary;
  context_status status = context_status::draft;
  std::optional<std::vector<std::string>> tags; ///< none empty
  std::optional<std::string> language;
  std::optional<std::string> owner_role;
  std::optional<json::object> constraints;
  std::optional<std::string> created_at;
  std::optional<std::string> updated_at;
  std::optional<trace_base> trace;
  std::optional<std::vector<base_event>> events;

  bool operator==(const context&) const = default;
};

} // namespace convene::protocol
