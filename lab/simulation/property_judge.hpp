#pragma once

#include <boost/json/value.hpp>
#include <convene/lab/simulation/property.hpp>
#include <convene/lab/simulation/seed_findings.hpp>
#include <convene/runtime/data/scenario/turn_failures.hpp>
#include <convene/runtime/setup.hpp>
#include <convene/session/ending/ending.hpp>
#include <convene/session/replay/replayer.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// Judges one session by its log: replays it, and checks each condition after
/// each input, and before the next one as time has passed until then.
class property_judge {
public:
  /// `all`, which must outlive it, as `read_properties` returns them.
  explicit property_judge(const std::vector<property>& all);
  property_judge(const property_judge&) = delete;
  property_judge& operator=(const property_judge&) = delete;

  /// The session's next event, and its line.
  void feed(std::size_t number, const boost::json::value& event,
            std::string_view line);

  /// After the last event, with the failures among all of them. Adds a finding
  /// of the rule `property` for each that is broken. Returns their positions. A
  /// log that does not replay is judged as far as it does.
  std::vector<std::uint32_t> finish(const session_result& ended,
                                    const turn_failures& failures,
                                    seed_findings& found);

private:
  struct watched {
    const property* what = nullptr;
    session::ending condition;
    std::string broken; ///< why; empty: it is not
    std::size_t line = 0;
  };

  void check_never(session::observation seen);
  void record_reply(const boost::json::object& event);
  [[nodiscard]] std::string fault_at_end(const watched& one,
                                         const session_result& ended,
                                         const turn_failures& failures) const;

  std::vector<watched> all_;
  session::replayer again_;
  std::size_t line_ = 0; ///< the latest one
  bool begun_ = false;
  bool diverged_ = false;
};

} // namespace convene::host
