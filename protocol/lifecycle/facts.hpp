#pragma once

#include <convene/protocol/lifecycle/lifecycle.hpp>
#include <convene/protocol/lifecycle/object_lookup.hpp>

#include <string_view>
#include <unordered_map>

// Which preconditions documents meet: for those who have no session to ask.

namespace convene::protocol {

/// The preconditions that a module's object, as its document stands, meets
/// among those that its lifecycle asks for. Linear in the document.
[[nodiscard]] precondition_set
facts_of(const lifecycle& of, const json::object& document,
         const object_lookup& known, const lifecycle_policy& policy);

/// The same for the parts of an object; made once for all of them.
class part_facts {
public:
  /// `owner` and what it refers to must outlive this.
  part_facts(const lifecycle& part, const json::object& owner,
             const object_lookup& known);

  [[nodiscard]] precondition_set of(const json::object& part) const;

private:
  [[nodiscard]] precondition_set of_step(const json::object& step) const;

  const lifecycle& part_;
  precondition_set shared_; ///< what holds for every part
  std::unordered_map<std::string_view, std::string_view> statuses_;
};

/// The objects of the array `member`; what is no object is left out, and so is
/// what is no array.
[[nodiscard]] std::vector<const json::object*>
objects_of(const json::object& from, std::string_view member);

} // namespace convene::protocol
