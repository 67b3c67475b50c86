#include <convene/session/spec/workspace_start.hpp>
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
