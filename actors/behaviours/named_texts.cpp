#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <convene/actors/behaviours/named_texts.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <algorithm>

namespace convene::actors {
namespace {

namespace json = boost::json;

/// Calls `text(before)` and `name(inside)` for the parts of a text.
void split_names(std::string_view all, auto&& text, auto&& name) {
  while (!all.empty()) {
    const auto begin = all.find("${");
    const auto end = begin == all.npos ? begin : all.find('}', begin);
    if (end == all.npos)
      return text(all);
    text(all.substr(0, begin));
    name(all.substr(begin + 2, end - begin - 2));
    all.remove_prefix(end + 1);
  }
}

class name_replacement {
public:
  explicit name_replacement(const name_lookup& known) : known_(known) {}

  /// False: there is no room for what names stand for.
  bool replace(json::value& in) {
    if (auto* text = in.if_string(); text != nullptr && has_names(in))
      *text = replaced(std::string_view{*text});
    else if (auto* array = in.if_array())
      return std::ranges::all_of(*array,
                                 [this](auto& one) { return replace(one); });
    else if (auto* object = in.if_object())
      return std::ranges::all_of(*object, [this](auto&& one) {
        return replace(one.value());
      });
    return fits_;
  }

private:
  std::string replaced(std::string_view text) {
    std::string made;
    split_names(
      text, [&made](std::string_view part) { made += part; },
      [&](std::string_view name) {
        const auto found = fits_ ? known_(name) : std::nullopt;
        fits_ = fits_ && (!found || found->size() <= room_);
        if (found && fits_) {
          room_ -= found->size();
          made += *found;
        } else {
          made.append("${").append(name) += '}';
        }
      });
    return made;
  }

  const name_lookup& known_;
  std::size_t room_ = named_bytes_max;
  bool fits_ = true;
};

} // namespace

bool has_names(std::string_view text) noexcept {
  const auto begin = text.find("${");
  return begin != text.npos && text.find('}', begin) != text.npos;
}

bool has_names(const json::value& in) {
  if (const auto* text = in.if_string())
    return has_names(std::string_view{*text});
  if (const auto* array = in.if_array())
    return std::ranges::any_of(*array, [](const json::value& one) {
      return has_names(one);
    });
  if (const auto* object = in.if_object())
    return std::ranges::any_of(*object, [](const auto& one) {
      return has_names(one.value());
    });
  return false;
}

bool replace_names(json::value& in, const name_lookup& known) {
  return name_replacement{known}.replace(in);
}

std::optional<unknown_name>
find_unknown_name(const json::value& in,
                  const std::function<bool(std::string_view name)>& is_known) {
  std::optional<unknown_name> found;
  if (const auto* text = in.if_string()) {
    split_names(
      std::string_view{*text}, [](std::string_view) {},
      [&](std::string_view name) {
        if (!found && !is_known(name))
          found = unknown_name{.name = std::string{name}};
      });
  } else if (const auto* array = in.if_array()) {
    for (std::size_t i = 0; i < array->size() && !found; ++i)
      if ((found = find_unknown_name((*array)[i], is_known)))
        found->pointer.insert(0, '/' + std::to_string(i));
  } else if (const auto* object = in.if_object()) {
    for (const auto& [name, value] : *object) {
      if (found)
        break;
      if ((found = find_unknown_name(value, is_known))) {
        std::string pointer;
        protocol::append_to_pointer(pointer, name);
        found->pointer.insert(0, pointer);
      }
    }
  }
  return found;
}

} // namespace convene::actors
