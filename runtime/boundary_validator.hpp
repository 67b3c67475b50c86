#pragma once

#include <convene/actors/ports/ports.hpp>
#include <convene/protocol/boundary/boundary.hpp>
#include <convene/runtime/data/scenario/outputs.hpp>
#include <convene/runtime/runtime.hpp>
#include <convene/session/machine/report.hpp>
#include <convene/session/spec/spec.hpp>

#include <atomic>
#include <memory>

namespace convene::host {

/// Validates a runtime's input and output as its options say, and counts what
/// it refuses. Thread-safe.
class boundary_validator final : public actors::answer_check {
public:
  /// `rules` may be null if nothing is to be validated.
  boundary_validator(const runtime_options& how,
                     std::shared_ptr<const protocol::boundary::rules> rules);

  /// The check of participants' replies; null: none.
  [[nodiscard]] const actors::answer_check* answers() const noexcept;

  /// The gate for events; null: none.
  [[nodiscard]] const protocol::event_gate* gate() const noexcept;

  /// Whether a session may start with this spec. Errors name the place in a
  /// scenario.
  [[nodiscard]] protocol::result<void> check(const session::spec& what);

  /// Whether the documents may be written.
  [[nodiscard]] protocol::result<void> check(const session_documents& what);

  /// Records how a session has ended.
  void note(const session::report& ended);

  [[nodiscard]] validation_counts refused() const noexcept;

  void check(protocol::reply& reply) const override;

private:
  std::shared_ptr<const protocol::boundary::rules> rules_;
  validation_level level_;
  bool revalidate_;
  mutable std::atomic<std::uint64_t> inputs_refused_ = 0;
  std::atomic<std::uint64_t> outputs_refused_ = 0;
};

} // namespace convene::host
