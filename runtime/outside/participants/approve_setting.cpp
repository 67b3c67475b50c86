#include <convene/protocol/base/glob.hpp>
#include <convene/protocol/documents/describe.hpp>
#include <convene/runtime/outside/participants/approve_setting.hpp>

#include <utility>

namespace convene::host {

void read_approve(protocol::reading& r, const protocol::json::value& entry,
                  const protocol::place& at,
                  const std::function<bool(std::string_view)>& can_match,
                  std::vector<std::string>& to) {
  const auto* found = r.fault ? nullptr
                              : entry.as_object().if_contains("approve");
  if (found == nullptr)
    return;
  if (const auto* all = found->if_bool()) {
    if (*all)
      to = {"*"};
    return;
  }
  const protocol::place here{&at, "approve", {}};
  if (!protocol::read(r, *found, here, protocol::not_empty, to))
    return;
  for (std::size_t i = 0; i < to.size() && !r.fault; ++i)
    if (!can_match(to[i]))
      r.refuse(protocol::place{&here, {}, i}, "approve",
               "the participant calls nothing of this name, so no person would "
               "be asked; write true, or a pattern of what it calls, such as "
               "files/write_*");
}

std::function<bool(std::string_view)> pattern_of(std::string name) {
  return [name = std::move(name)](std::string_view pattern) {
    return protocol::matches_glob(pattern, name);
  };
}

bool may_match_tool(std::string_view pattern, std::string_view tool) {
  if (!tool.ends_with('*'))
    return protocol::matches_glob(pattern, tool);
  tool.remove_suffix(1);
  const auto plain = pattern.substr(0, pattern.find_first_of("*?"));
  return plain.starts_with(tool)
         || (plain.size() < pattern.size() && tool.starts_with(plain));
}

} // namespace convene::host
