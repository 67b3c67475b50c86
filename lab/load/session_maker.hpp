#pragma once

#include <convene/lab/load/load_order.hpp>
#include <convene/runtime/runtime.hpp>
#include <convene/session/spec/spec.hpp>

#include <functional>
#include <map>
#include <string>

namespace convene::host {

/// Makes the session of an order: its scenario, and functions for its
/// participants, which only a session in this process can have.
struct made_session {
  session::spec scenario;
  std::map<std::string, convene::participant> functions;
};
using session_maker = std::function<made_session(const load_order&)>;

} // namespace convene::host
