#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/strict/id_places.hpp>

#include <algorithm>
#include <array>

namespace convene::protocol {
namespace {

constexpr std::array verbatim{std::string_view{"spec"},
                              std::string_view{"reply"}};
constexpr std::array keyed_by_role{std::string_view{"assign"},
                                   std::string_view{"ranks"}};
constexpr std::array endings{
  std::string_view{"_id"},   std::string_view{"_ids"},
  std::string_view{"_ref"},  std::string_view{"_refs"},
  std::string_view{"_role"}, std::string_view{"_roles"}};

bool contains(const auto& all, std::string_view name) {
  return std::ranges::find(all, name) != all.end();
}

bool may_refer(std::string_view name) {
  if (name.find("participant") != name.npos)
    return false;
  return name == "role" || name == "dependencies"
         || std::ranges::any_of(endings, [name](std::string_view ending) {
              return name.ends_with(ending);
            });
}

class id_walk {
public:
  explicit id_walk(const id_visitor& visit) : visit_(visit) {}

  /// `name` is the member that the value, or the array around it, belongs to.
  void value(json::value& what, const shape* how, std::string_view name,
             const place& at) {
    if (auto* text = what.if_string()) {
      if (how != nullptr && how->what == shape::kind::identity)
        show(*text, id_place::identity, at);
      else if ((how == nullptr || how->what != shape::kind::words)
               && may_refer(name))
        show(*text, id_place::reference, at);
    } else if (auto* array = what.if_array()) {
      const auto* items = how == nullptr ? nullptr : how->items;
      for (std::size_t i = 0; i < array->size(); ++i)
        value((*array)[i], items, name, {.parent = &at, .index = i});
    } else if (auto* members = what.if_object()) {
      object(*members, how, name, at);
    }
  }

private:
  void object(json::object& members, const shape* how, std::string_view name,
              const place& at) {
    if (contains(keyed_by_role, name))
      keys(members, at);
    for (auto& member : members) {
      const std::string_view key{member.key()};
      const auto* next = how == nullptr ? nullptr : how->member(key);
      if (next != nullptr || !contains(verbatim, key))
        value(member.value(), next, key, {.parent = &at, .name = key});
    }
  }

  void keys(json::object& members, const place& at) {
    json::object renamed;
    for (auto& member : members) {
      const std::string_view key{member.key()};
      const place here{.parent = &at, .name = key};
      const auto instead = visit_(key, id_place::reference,
                                  [&here] { return to_pointer(here); });
      if (members.contains(instead) && instead != key)
        return; // both names are there: leave them alone
      renamed.emplace(instead, member.value());
    }
    members = std::move(renamed);
  }

  void show(json::string& text, id_place where, const place& at) {
    const std::string_view before{text.data(), text.size()};
    const auto after = visit_(before, where, [&at] { return to_pointer(at); });
    if (after.data() != before.data() && after != before)
      text.assign(after);
  }

  const id_visitor& visit_;
};

} // namespace

void visit_ids(boost::json::value& what, const shape* how,
               const id_visitor& visit) {
  id_walk walk{visit};
  walk.value(what, how, {}, place{});
}

} // namespace convene::protocol
