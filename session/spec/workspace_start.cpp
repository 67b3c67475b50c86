#include <convene/session/spec/workspace_start.hpp>
#include <convene/session/workspace/plan_step.hpp>
#include <convene/session/workspace/size.hpp>

namespace convene::session {

protocol::result<workspace> make_workspace(const spec& what) {
  workspace made;
  for (std::size_t i = 0; i < what.workspace.size(); ++i) {
    const auto& r = what.workspace[i];
    auto refuse = [&](protocol::error why) {
      why.code = protocol::errc::activation_refused;
      why.pointer = "/workspace/" + std::to_string(i);
      why.value = r.resource_type + " " + r.resource_id;
      return protocol::fail(std::move(why));
    };
    if (r.resource_type == plan_step_type)
      return refuse({.message = "resources of this type are the steps of the "
                                "plan; leave it out",
                     .rule = "plan_step_reserved"});
    const resource_name name{r.resource_type, r.resource_id};
    const auto size = measure(r.value);
    if (auto fits = check_fits(size); !fits)
      return refuse(std::move(fits).error());
    if (auto room = made.check_room(name, size.bytes); !room)
      return refuse(std::move(room).error());
    if (made.find(name))
      return refuse({.message = "two resources have the same type and id",
                     .rule = "unique_resource"});
    made.add(name, r.value, {}, 0);
  }
  return made;
}

} // namespace convene::session
