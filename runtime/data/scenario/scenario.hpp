#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/outside/permissions/permissions.hpp>
#include <convene/session/spec/spec.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace convene::host {

/// A remark about the input that a user may want to know.
struct source_note {
  std::string file;
  std::string pointer; ///< into the file; empty: the whole file
  std::string message;
  std::size_t line = 0; ///< 1-based; 0: the whole file
  std::size_t column = 0;
};

/// How a scenario is loaded and completed.
struct load_options {
  /// Source of the ids that were omitted. With `seed` it becomes one that
  /// follows from the seed, the scenario with its documents and overrides, and
  /// `besides`, wherever their files are.
  protocol::uuid_source& ids;
  protocol::timestamp_ms now = 0;
  /// `key=value`, in order: sets any member by its dotted path.
  std::vector<std::string> overrides = {};
  /// Added to `session.assign`: a step's agent_role to a participant.
  std::map<std::string, std::string> assign = {};
  std::optional<std::uint64_t> seed = {}; ///< instead of the scenario's
  /// What else the session's course depends on: options that are no part of the
  /// scenario. Empty: all have their defaults.
  boost::json::object besides = {};
  /// Whether it must also conform to convene-scenario.schema.json.
  bool validate = true;
  /// Documents must conform to the official schemas; otherwise they may have
  /// the form of the protocol's first descriptions (docs/strict-form.md).
  bool strict = false;
  /// Whether it is a single agent's: a context and a plan, behaviours by
  /// agent_role, and no Collab (session/single_agent/arrangement.hpp).
  bool single_agent = false;
  /// Which files outside of the scenario's folder it may name; null: none.
  const permissions* allow = nullptr;
  /// Receives the unused files of a folder, and what in a document was read as
  /// something else.
  std::vector<source_note>* notes = nullptr;
  /// Receives what became of ids that are no lower-case v4 UUIDs, by the id.
  boost::json::object* aliases = nullptr;
};

/// Reads a scenario file, or a folder of MPLP documents: context.json and
/// collab.json (of a single agent: plan.json), which are required, plan.json,
/// confirm.json, core.json, network.json, and role*.json, extension*.json and
/// extension-confirm*.json in the order of their names. Resolves it: embeds
/// every document, puts what Extensions have in place of their names, and fills
/// in every default. The same input gives the
/// same spec. Errors name the file, the line and the pointer within that file.
[[nodiscard]] CONVENE_API protocol::result<session::spec>
load_scenario(const std::filesystem::path& path, const load_options& options);

/// The same for a scenario that comes from elsewhere than a file: all of its
/// documents are embedded. One that names a file, or a program by a place in
/// the scenario's folder, is refused (`names_file`). Errors have pointers into
/// the scenario and no line.
[[nodiscard]] CONVENE_API protocol::result<session::spec>
load_scenario(protocol::json::object scenario, const load_options& options);

/// The id of session `number` of a scenario; 0: the scenario's own. Depends
/// only on these two arguments.
[[nodiscard]] CONVENE_API std::string session_id_of(const session::spec& what,
                                                    std::uint64_t number);

/// The same scenario for its session `number`: collab, plan and confirm get ids
/// of their own, and simulated participants use the seed plus `number`.
[[nodiscard]] CONVENE_API session::spec another(const session::spec& what,
                                                std::uint64_t number);

/// Gives collab, plan and confirm other ids, which follow from those that they
/// have and the number.
CONVENE_API void renumber(session::spec& what, std::uint64_t number);

} // namespace convene::host
