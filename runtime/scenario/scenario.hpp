#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/session/spec/spec.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace convene::host {

/// Something about what was read that a person may want to know.
struct source_note {
  std::string file;
  std::string pointer; ///< into the file; empty: the whole file
  std::string message;
  std::size_t line = 0; ///< 1-based; 0: the whole file
  std::size_t column = 0;
};

/// What a scenario is completed with.
struct load_options {
  protocol::uuid_source& ids; ///< draws the ids that were left out
  protocol::timestamp_ms now = 0;
  /// `key=value`, in order: sets any member by its dotted path.
  std::vector<std::string> overrides = {};
  /// Added to `session.assign`: a step's agent_role, a participant.
  std::map<std::string, std::string> assign = {};
  std::optional<std::uint64_t> seed = {}; ///< instead of the scenario's
  /// Whether it has to be as convene-scenario.schema.json says, too.
  bool validate = true;
  /// Documents must be as the official schemas have them; else they may have
  /// the form of the protocol's first descriptions (docs/strict-form.md).
  bool strict = false;
  /// Gets the files of a folder that are not used, and what in a document was
  /// taken for something else.
  std::vector<source_note>* notes = nullptr;
};

/// Reads a scenario file, or a folder of MPLP documents: context.json and
/// collab.json, which must be there, plan.json, confirm.json, and role*.json
/// in the order of their names. Resolves it: every document embedded, every
/// default filled in. The same input gives the same spec. Errors name the
/// file, the line and the pointer within that file.
[[nodiscard]] CONVENE_API protocol::result<session::spec>
load_scenario(const std::filesystem::path& path, const load_options& options);

/// The id of the session `number` of a scenario; 0: the scenario's own. It
/// follows from these two alone.
[[nodiscard]] CONVENE_API std::string session_id_of(const session::spec& what,
                                                    std::uint64_t number);

/// The same scenario for its session `number`: collab and plan get ids of their
/// own, and simulated participants draw from a seed that is `number` further.
[[nodiscard]] CONVENE_API session::spec another(const session::spec& what,
                                                std::uint64_t number);

} // namespace convene::host
