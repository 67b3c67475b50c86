#pragma once

#include <convene/protocol/documents/common.hpp>
#include <convene/protocol/lifecycle/precondition.hpp>

#include <span>
#include <string_view>
#include <vector>

// One lifecycle is one table: which statuses an object may have, which moves
// lead from one to another, what each needs and what it puts on record. The
// tables stand in tables.hpp; docs/lifecycles.md shows them all.

namespace convene::protocol {

/// Where the protocol can be read in more than one way (MPLP conflicts C-22 to
/// C-24, C-17a). The default is the stricter reading.
struct lifecycle_policy {
  /// Extension: inactive back to active, deprecated to inactive. Otherwise
  /// both are final.
  bool extensions_return = false;
  /// Confirm: a rejecting decision is noted and settles nothing; approval or
  /// withdrawal does.
  bool several_rounds = false;
  /// Confirm may be overridden; a Trace's `active` is read as running. No
  /// strict document has these words.
  bool native_words = false;
  /// A document's role names must be those of Roles.
  bool roles_resolve = false;
};

/// When a row of a table counts.
enum class row_reading : std::uint8_t {
  always,
  extensions_return,
  one_round,
  native_words,
};

/// A status that objects of a lifecycle may have.
struct lifecycle_state {
  std::string_view word;
  /// What `stage_status` of a pipeline_stage event says of it; empty where the
  /// lifecycle has none.
  std::string_view stage;
  std::string_view alias; ///< read as this status with native_words
  row_reading reading = row_reading::always;
};

/// One way from a status to another.
struct lifecycle_move {
  std::string_view from; ///< empty: the object is created
  std::string_view to;
  std::string_view trigger; ///< what makes it happen, a verb and its object
  precondition_set needs;
  /// The type of the event of the lifecycle's own family; empty:
  /// `<name>_status_changed`, and none for creating.
  std::string_view event;
  row_reading reading = row_reading::always;
  /// Of creating: it is made in the initial status and moves on at once.
  bool by_initial = false;
};

/// The event family in which a lifecycle reports, besides graph_update.
enum class lifecycle_family : std::uint8_t {
  none,
  pipeline_stage,
  runtime_execution
};

/// The lifecycle of a kind of object: the ten modules, and what their objects
/// consist of where that has a status.
struct lifecycle {
  std::string_view name; ///< "plan", "step", ...
  protocol::module owner = protocol::module::context;
  std::string_view id_member; ///< "plan_id"
  std::string_view initial;   ///< empty: the kind has no status
  std::string_view created;   ///< type of the event of being created
  lifecycle_family family = lifecycle_family::none;
  std::span<const lifecycle_state> states;
  std::span<const lifecycle_move> moves;
};

/// All lifecycles, a module's before those of its parts.
[[nodiscard]] std::span<const lifecycle* const> all_lifecycles() noexcept;

/// The one of that name. Null: there is none.
[[nodiscard]] const lifecycle* find_lifecycle(std::string_view name) noexcept;
[[nodiscard]] const lifecycle& find_lifecycle(module which) noexcept;

/// Whether a row with this reading counts.
[[nodiscard]] bool applies(row_reading reading,
                           const lifecycle_policy& policy) noexcept;

/// The state with that word or alias. Null: no status of this lifecycle.
[[nodiscard]] const lifecycle_state*
find_state(const lifecycle& of, std::string_view word,
           const lifecycle_policy& policy = {}) noexcept;

/// The move between two states. Null: there is none.
[[nodiscard]] const lifecycle_move*
find_move(const lifecycle& of, std::string_view from, std::string_view to,
          const lifecycle_policy& policy = {}) noexcept;

/// The statuses that one move leads to, in the table's order; from empty: those
/// in which objects may be created. None: `from` is final.
[[nodiscard]] std::vector<std::string_view>
next_statuses(const lifecycle& of, std::string_view from,
              const lifecycle_policy& policy = {});

/// The statuses on the shortest way from one status to another, the last
/// included; none where no way leads there.
[[nodiscard]] std::vector<std::string_view>
find_route(const lifecycle& of, std::string_view from, std::string_view to,
           const lifecycle_policy& policy = {});

} // namespace convene::protocol
