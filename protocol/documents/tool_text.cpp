#include <boost/json/array.hpp>
#include <convene/protocol/documents/tool_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>

namespace convene::protocol {

std::string text_of_tool(const json::object& output, bool with_resources) {
  std::string all;
  for (const auto& each : items_of(output, "content")) {
    const auto* part = each.if_object();
    if (part == nullptr)
      continue;
    const auto type = text_of(*part, "type");
    const auto& holder = type == "resource" ? object_of(*part, "resource")
                                            : *part;
    if (type != "text"
        && (type != "resource" || !with_resources || !holder.contains("text")))
      continue;
    if (!all.empty())
      all += '\n';
    all += text_of(holder, "text");
  }
  return all;
}

} // namespace convene::protocol
