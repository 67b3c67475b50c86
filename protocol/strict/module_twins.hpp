#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/strict/strict_form.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace convene::protocol {

/// Says what the events of a session are by the words of the modules that they
/// are about (MPLP's module-event matrix): an action is an execution of the
/// module Extension, a lost participant a lost connection of its Network, an
/// approval and its reason are the Confirm's, what was used is the Trace's
/// cost. Remembers the nodes and the budget of each session that has not ended.
class module_twins {
public:
  /// The twins of a strict event, valid by their schemas.
  [[nodiscard]] std::vector<strict_form> of(const boost::json::object& event);

private:
  struct session {
    std::map<std::string, std::string, std::less<>> nodes; ///< by their names
    std::int64_t tokens_max = 0;                           ///< 0: no budget
    std::int64_t cost_microusd_max = 0;
    std::set<std::string_view> warned; ///< budgets
  };

  void start(const boost::json::object& event, std::vector<strict_form>& to);
  void connect(const boost::json::object& event, std::vector<strict_form>& to);
  void warn(const boost::json::object& event, std::vector<strict_form>& to);

  std::map<std::string, session, std::less<>> sessions_;
};

} // namespace convene::protocol
