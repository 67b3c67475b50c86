#pragma once

#include <protocol/json_schema/generated/generator.hpp>

#include <string>
#include <vector>

namespace convene::tests {

/// One change that makes a valid document invalid, and what is to be said of
/// it.
struct fault {
  std::string at;      ///< of the value that changes
  std::string without; ///< a member to take away; if empty:
  std::string with;    ///< a member to put in; if empty, `value` comes instead
  json::value value;

  std::string keyword; ///< that is violated
  std::string pointer; ///< where
};

/// One fault for each keyword that each place of the document meets; none
/// where another branch might take the changed value.
std::vector<fault> faults_of(const generated& from, dice& d);

/// The document with that fault.
json::value with_fault(const json::value& document, const fault& what);

} // namespace convene::tests
