#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/learning/flow_samples.hpp>
#include <convene/session/single_agent/agent_events.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// Whose samples are collected. `named`: only of sessions whose Collab, Plan or
/// Context has learning-feedback in its `meta.cross_cutting`; `not_opted_out`:
/// also of those where none of these has a `cross_cutting` at all.
enum class sample_consent : std::uint8_t { not_opted_out, named };

struct sample_options {
  bool scrub = false; ///< no text that people or models wrote
  sample_consent consent = sample_consent::not_opted_out;
};

/// A sample, valid by its schema and the invariants of samples.
struct kept_sample {
  std::string id;
  std::string line; ///< JSON, without an end of line
};

/// Collects the samples of one session, or of events without one, as they are
/// logged or read. Those of a session that a single agent has are made of its
/// SA events. A pure function of the events; not thread-safe.
class session_samples {
public:
  CONVENE_API explicit session_samples(sample_options how = {});

  /// Takes complete lines, in log order.
  CONVENE_API void feed(std::string_view lines);
  CONVENE_API void feed(const boost::json::object& event);

  /// All samples so far, also those of changes whose effect may yet grow: call
  /// it when the session has ended or no more is known of it.
  [[nodiscard]] CONVENE_API std::vector<kept_sample> take();

  /// Samples that wait to be taken.
  [[nodiscard]] std::size_t size() const noexcept {
    return kept_.size();
  }

  [[nodiscard]] bool is_opted_out() const noexcept {
    return !wanted_;
  }

  /// Those beyond the bound (`protocol::flow_samples_max`).
  [[nodiscard]] std::uint64_t left_out() const noexcept {
    return samples_.left_out();
  }

  /// Why a sample was not valid, which would be a fault of convene's or of
  /// events that no session of ours wrote. Such samples are left out.
  [[nodiscard]] const std::optional<protocol::error>& fault() const noexcept {
    return fault_;
  }

private:
  void start(const boost::json::object& payload);
  void keep(const std::vector<boost::json::object>& made);

  sample_options how_;
  bool wanted_ = true;
  std::optional<session::agent_events> agent_;
  protocol::flow_samples samples_;
  std::vector<kept_sample> kept_;
  std::optional<protocol::error> fault_;
};

} // namespace convene::host
