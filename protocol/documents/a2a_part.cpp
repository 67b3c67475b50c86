#include <boost/json/object.hpp>
#include <convene/protocol/documents/a2a_part.hpp>
#include <convene/protocol/json/members.hpp>

#include <array>
#include <utility>

namespace convene::protocol {
namespace {

constexpr std::array<std::pair<std::string_view, a2a_content>, 4>
  content_members{{{"text", a2a_content::text},
                   {"data", a2a_content::data},
                   {"raw", a2a_content::file},
                   {"url", a2a_content::file}}};

tl::unexpected<error> refuse_part(std::string pointer, std::string why) {
  return fail({.code = errc::invalid_document,
               .message = std::move(why),
               .pointer = std::move(pointer),
               .rule = "a2a_part"});
}

} // namespace

result<a2a_part> read_a2a_part(const json::value& from,
                               const std::string& pointer) {
  const auto* part = from.if_object();
  if (part == nullptr)
    return refuse_part(pointer, "must be an object");
  const json::value* found = nullptr;
  std::string_view name;
  a2a_part made{.media_type = text_of(*part, "mediaType")};
  for (const auto& [member, content] : content_members) {
    const auto* value = part->if_contains(member);
    if (value == nullptr || value->is_null())
      continue;
    if (found != nullptr)
      return refuse_part(pointer, "has `" + std::string{name} + "` and `"
                                    + std::string{member}
                                    + "`: send each as a part of its own");
    found = value;
    name = member;
    made.content = content;
  }
  if (found == nullptr) {
    found = part->if_contains("data");
    made.content = a2a_content::data;
  }
  if (found == nullptr)
    return refuse_part(pointer, "has no content: a part has `text`, `data`, "
                                "`raw` or `url`");
  if (made.content == a2a_content::data) {
    made.data = found;
    return made;
  }
  const auto* text = found->if_string();
  if (text == nullptr)
    return refuse_part(pointer + '/' + std::string{name}, "must be a text");
  if (made.content == a2a_content::text)
    made.text = *text;
  return made;
}

} // namespace convene::protocol
