#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <convene/protocol/strict/module_twins.hpp>
#include <convene/protocol/strict/strict_form.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace convene::protocol {

/// Makes the events that say of an event what its module calls it
/// (protocol/strict/module_twins.hpp), and of a MAP event what an observer of
/// the twelve families needs: a graph_update of the session, a pipeline_stage
/// at each change of its status, a runtime_execution for turns, broadcasts and
/// conflicts (MPLP conflicts.md C-04, C-05, C-43). Remembers of each session
/// that has not ended its context and of what kind its participants are.
class derived_events {
public:
  /// The derived of a strict event, valid by their schemas. Each names it in
  /// `payload.native.twin_of`.
  [[nodiscard]] std::vector<strict_form> of(const boost::json::object& event);

private:
  struct session {
    std::string context_id;
    std::map<std::string, std::string_view, std::less<>> executor_kinds;
    bool is_suspended = false;

    [[nodiscard]] std::string_view status() const noexcept {
      return is_suspended ? "suspended" : "active";
    }
  };

  [[nodiscard]] std::vector<strict_form>
  of_session(const boost::json::object& event);
  [[nodiscard]] std::vector<strict_form>
  of_input(const boost::json::object& event);
  void learn(const boost::json::object& event, session& of);

  std::map<std::string, session, std::less<>> sessions_;
  module_twins modules_;
};

/// Whether an exported event is such a twin, which has no native form.
[[nodiscard]] bool is_family_twin(const boost::json::value& strict);

} // namespace convene::protocol
