#include <convene/protocol/boundary/slot_walk.hpp>
#include <convene/protocol/json_schema/validate_at.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace convene::protocol::boundary {
namespace {

using namespace validation;

class walk {
public:
  walk(const program& code, std::span<const std::string_view> slots,
       together members, std::vector<demand>& found)
    : code_(code), slots_(slots), members_(members), found_(found) {}

  /// Whether the way could be followed to its end. `at` is null where the
  /// sample has no such value; `here` is the pointer to it.
  bool down(node_index index, const json::value* at, const std::string& here,
            std::string_view rest) {
    if (rest.empty()) {
      found_.push_back({&code_, behind_references(index)});
      return true;
    }
    const auto end = rest.find('/', 1);
    const step next{.name = std::string{rest.substr(1, end - 1)},
                    .rest = end == rest.npos ? std::string_view{}
                                             : rest.substr(end)};
    const auto in = next.name == "*" ? arrays : objects;
    const auto& node = code_.nodes[index];
    // What stands for all kinds is in every group.
    for (auto i = node.first[in]; i < node.first[in + 1U]; ++i)
      if (!apply(code_.code[i], at, here, rest, next))
        return false;
    return true;
  }

private:
  struct step {
    std::string name;
    std::string_view rest;
  };

  /// A schema that only refers to another is that other.
  node_index behind_references(node_index index) const {
    const auto& node = code_.nodes[index];
    const auto first = node.first[strings];
    const bool lone = node.types == types::all
                      && node.first[strings + 1U] == first + 1
                      && code_.code[first].code == op::reference;
    return lone ? behind_references(code_.code[first].a) : index;
  }

  bool apply(const instruction& what, const json::value* at,
             const std::string& here, std::string_view rest, const step& next) {
    switch (what.code) {
      case op::reference:
        return down(what.a, at, here, rest);
      case op::all_of:
        return std::all_of(code_.lists.begin() + what.a,
                           code_.lists.begin() + what.b, [&](node_index one) {
                             return down(one, at, here, rest);
                           });
      case op::condition:
        return condition(what, at, here, rest);
      case op::members:
        return member(code_.members[what.a], at, here, next);
      case op::items:
        return down(what.a, nullptr, here + "/*", next.rest);
      case op::min_items:
      case op::max_items:
        // The array's size is a slot of its own.
        return true;
      case op::any_of:
      case op::one_of:
        return members_ == together::tried
               && std::none_of(
                 code_.lists.begin() + what.a, code_.lists.begin() + what.b,
                 [&](node_index one) { return depends_on_slots(one, here); });
      case op::negation:
        return members_ == together::tried && !depends_on_slots(what.a, here);
      case op::min_properties:
      case op::max_properties:
        return members_ == together::tried;
      default:
        return false;
    }
  }

  /// Which branch it is must follow from constant members alone.
  bool condition(const instruction& what, const json::value* at,
                 const std::string& here, std::string_view rest) {
    if (at == nullptr || depends_on_slots(what.a, here))
      return false;
    auto r = start_run(code_, {}, nullptr);
    const bool met = check<false>(r, what.a, boost_cursor{*at});
    return down(met ? what.b : what.c, at, here, rest);
  }

  bool member(const member_rules& rules, const json::value* at,
              const std::string& here, const step& next) {
    const auto* object = at == nullptr ? nullptr : at->if_object();
    const auto* value = object == nullptr ? nullptr
                                          : object->if_contains(next.name);
    const auto there = here + '/' + next.name;
    bool known = false;
    const auto& names = code_.table_names;
    if (const auto* entry = names.find(rules.table, next.name);
        entry != nullptr && entry->value != no_node) {
      known = true;
      if (!down(entry->value, value, there, next.rest))
        return false;
    }
    for (auto i = rules.first_pattern; i < rules.last_pattern; ++i) {
      const auto& rule = code_.member_patterns[i];
      if (!is_found(code_.patterns[rule.pattern], next.name))
        continue;
      known = true;
      if (!down(rule.node, value, there, next.rest))
        return false;
    }
    return known || down(rules.additional, value, there, next.rest);
  }

  /// Whether another event of this shape may see the node otherwise.
  bool depends_on_slots(node_index index, const std::string& here) const {
    const auto& node = code_.nodes[index];
    const auto within = [](std::string_view place, std::string_view whole) {
      return place.starts_with(whole)
             && (place.size() == whole.size() || place[whole.size()] == '/');
    };
    const auto in_way = [&](std::string_view pointer) {
      return std::ranges::any_of(slots_, [&](std::string_view slot) {
        return within(slot, pointer) || within(pointer, slot);
      });
    };
    if (node.first[0] != node.first[objects]
        || node.first[objects + 1U] != node.first[group_count])
      return true;
    for (auto i = node.first[objects]; i < node.first[objects + 1U]; ++i) {
      const auto& what = code_.code[i];
      if (what.code != op::members)
        return true;
      const auto& rules = code_.members[what.a];
      if (rules.first_pattern != rules.last_pattern
          || rules.additional != always || rules.name != always)
        return true;
      for (const auto& entry : code_.table_names.entries(rules.table))
        if (entry.value != no_node
            && in_way(here + '/' + std::string{code_.table_names.text(entry)}))
          return true;
    }
    return false;
  }

  const program& code_;
  std::span<const std::string_view> slots_;
  together members_;
  std::vector<demand>& found_;
};

/// A schema that has annotations alone, too.
bool asks_nothing(const demand& one) {
  const auto& node = one.code->nodes[one.node];
  return node.types == types::all && node.first.front() == node.first.back();
}

} // namespace

std::optional<std::vector<demand>>
demands_at(const compiled_schema& schema, const json::value& sample,
           std::string_view slot, std::span<const std::string_view> slots,
           together members) {
  std::vector<demand> found;
  walk way{schema.code(), slots, members, found};
  if (!way.down(schema.code().root, &sample, {}, slot))
    return std::nullopt;
  std::erase_if(found, asks_nothing);
  return found;
}

} // namespace convene::protocol::boundary
