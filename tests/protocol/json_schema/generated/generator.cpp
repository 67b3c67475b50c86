#include <convene/protocol/json/json_text.hpp>
#include <protocol/json_schema/generated/generator.hpp>
#include <protocol/json_schema/generated/samples.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace convene::tests {
namespace {

using names = std::set<std::string>;

constexpr std::size_t depth_of_optional = 5;
constexpr std::size_t items_more = 3;

class maker {
public:
  maker(const schema_set& set, dice& d, generated& out)
    : set_(set), d_(d), out_(out) {}

  json::value make(const schema_place& of, const std::string& pointer,
                   std::size_t depth) {
    return make(flattened(set_, of, false, d_), pointer, depth);
  }

private:
  json::value make(rules meets, const std::string& pointer, std::size_t depth) {
    out_.conditional = out_.conditional || find(meets, "if") != nullptr
                       || find(meets, "not") != nullptr;
    auto value = value_for(meets, pointer, depth);
    out_.places.push_back({pointer, std::move(meets)});
    return value;
  }

  json::value value_for(rules& meets, const std::string& pointer,
                        std::size_t depth) {
    if (const auto* one = find(meets, "const"))
      return *one;
    if (const auto* several = find(meets, "enum")) {
      const auto& all = several->as_array();
      return all[d_.below(all.size())];
    }
    const auto types = types_of(meets);
    if (types.size() == 7 && find(meets, "properties") == nullptr)
      return any_value(1, d_);
    const auto type = types.size() == 7 ? "object" : d_.one_of(types);
    if (type == "object")
      return object_for(meets, pointer, depth);
    if (type == "array")
      return array_for(meets, pointer, depth);
    if (type == "string")
      return json::value(text_for(meets));
    if (type == "integer" || type == "number")
      return number_for(meets, type == "integer");
    return type == "null" ? json::value{} : json::value(d_.chance(50));
  }

  std::string text_for(const rules& meets) {
    if (const auto* pattern = find(meets, "pattern"))
      return text_of_pattern(pattern->as_string(), true, d_);
    if (const auto* format = find(meets, "format"))
      return text_of_format(format->as_string(), true, d_);
    const auto least
      = static_cast<std::size_t>(largest(meets, "minLength").value_or(0));
    const auto most = std::min<std::size_t>(
      least + 20,
      static_cast<std::size_t>(smallest(meets, "maxLength").value_or(1e6)));
    return any_text(least + d_.below(most - least + 1), d_);
  }

  json::value number_for(const rules& meets, bool whole) {
    const auto above = largest(meets, "exclusiveMinimum");
    const auto low = std::max(largest(meets, "minimum").value_or(-1000),
                              above ? std::floor(*above) + 1 : -1000);
    const auto high = smallest(meets, "maximum").value_or(low + 2000);
    auto value = low + d_.below(static_cast<std::size_t>(high - low) + 1);
    if (whole)
      return static_cast<std::int64_t>(value);
    return value + 0.5 <= high ? value + 0.5 : value;
  }

  json::value array_for(const rules& meets, const std::string& pointer,
                        std::size_t depth) {
    const auto least
      = static_cast<std::size_t>(largest(meets, "minItems").value_or(0));
    const auto most = std::min<std::size_t>(
      least + (depth < depth_of_optional ? items_more : 0),
      static_cast<std::size_t>(smallest(meets, "maxItems").value_or(1e6)));
    const auto count = least + d_.below(most - least + 1);
    const bool unique = find(meets, "uniqueItems") != nullptr;
    json::array out;
    for (std::size_t tries = 0; out.size() < count && tries < 100; ++tries) {
      const auto before = out_.places.size();
      auto item = make(member_rules(meets, "items", {}),
                       pointer + '/' + std::to_string(out.size()), depth + 1);
      if (unique && std::ranges::find(out, item) != out.end())
        out_.places.resize(before);
      else
        out.push_back(std::move(item));
    }
    if (out.size() < least)
      throw std::logic_error("too few values that differ at " + pointer);
    return out;
  }

  /// The rules of items, or with "properties", of a member.
  rules member_rules(const rules& meets, std::string_view keyword,
                     const std::string& name) {
    rules out;
    for (const auto& one : meets) {
      const auto* sub = one.schema->if_contains(keyword);
      if (sub != nullptr && keyword == "properties")
        sub = sub->as_object().if_contains(name);
      if (sub == nullptr && keyword == "properties")
        sub = one.schema->if_contains("additionalProperties");
      if (sub == nullptr)
        continue;
      auto more = flattened(set_, place_in(one, *sub), one.chosen, d_);
      out.insert(out.end(), more.begin(), more.end());
    }
    return out;
  }

  static names required_in(const rules& meets) {
    names out;
    for (const auto& one : meets)
      if (const auto* list = one.schema->if_contains("required"))
        for (const auto& name : list->as_array())
          out.emplace(name.as_string());
    return out;
  }

  /// The members that there will be.
  names choose_members(const rules& meets, std::size_t depth) {
    auto out = required_in(meets);
    std::vector<std::string> others;
    for (const auto& one : meets)
      if (const auto* list = one.schema->if_contains("properties"))
        for (const auto& [name, schema] : list->as_object())
          if (out.count(std::string{name}) == 0)
            others.emplace_back(name);
    const auto least = largest(meets, "minProperties").value_or(0);
    if (admits(meets, "x-more")
        && (d_.chance(20)
            || static_cast<double>(out.size() + others.size()) < least))
      others.emplace_back("x-more");
    const auto most = smallest(meets, "maxProperties").value_or(1e6);
    while (!others.empty()) {
      const auto at = others.begin() + d_.below(others.size());
      const auto size = static_cast<double>(out.size());
      if (size < most
          && (size < least || (depth < depth_of_optional && d_.chance(50))))
        out.insert(*at);
      others.erase(at);
    }
    for (const auto& one : meets)
      if (const auto* unwanted = one.schema->if_contains("not"))
        drop_one(out, required_in(meets), unwanted->at("required").as_array());
    return out;
  }

  /// Takes a member out if all of `names` are in.
  void drop_one(names& from, const names& needed, const json::array& all) {
    for (const auto& name : all)
      if (from.count(std::string{name.as_string()}) == 0)
        return;
    for (const auto& name : all)
      if (needed.count(std::string{name.as_string()}) == 0) {
        from.erase(std::string{name.as_string()});
        return;
      }
  }

  /// Follows each `if`, and those in what it leads to. Gives the values that
  /// the conditions were true for.
  json::object add_conditional(rules& meets, names& present) {
    json::object known;
    for (std::size_t i = 0; i < meets.size(); ++i) {
      const auto here = meets[i];
      const auto* condition = here.schema->if_contains("if");
      if (condition == nullptr)
        continue;
      for (const auto& name : present)
        if (!known.contains(name))
          known[name] = discriminator(meets, name);
      if (!holds(condition->as_object(), known))
        continue;
      const auto more = flattened(set_, place_in(here, here.schema->at("then")),
                                  here.chosen, d_);
      meets.insert(meets.end(), more.begin(), more.end());
      for (const auto& name : required_in(meets))
        present.insert(name);
    }
    std::erase_if(present,
                  [&](const auto& name) { return !admits(meets, name); });
    return known;
  }

  /// A value for a member that is one of a few words, else null.
  json::value discriminator(const rules& meets, const std::string& name) {
    const auto of = member_rules(meets, "properties", name);
    const auto* words = find(of, "enum");
    if (const auto* word = find(of, "const"))
      return *word;
    if (words == nullptr)
      return nullptr;
    return words->as_array()[d_.below(words->as_array().size())];
  }

  json::value object_for(rules& meets, const std::string& pointer,
                         std::size_t depth) {
    auto present = choose_members(meets, depth);
    const auto fixed = add_conditional(meets, present);
    json::object out;
    for (const auto& name : present) {
      auto below = pointer;
      protocol::append_to_pointer(below, name);
      auto value = make(member_rules(meets, "properties", name), below,
                        depth + 1);
      const auto* known = fixed.if_contains(name);
      const bool is_fixed = known != nullptr && !known->is_null();
      out[name] = is_fixed ? *known : std::move(value);
    }
    return out;
  }

  const schema_set& set_;
  dice& d_;
  generated& out_;
};

} // namespace

generated generate(const schema_set& set, std::string_view reference, dice& d) {
  generated out;
  maker m{set, d, out};
  out.document = m.make(set.find({}, reference).value(), "", 0);
  return out;
}

} // namespace convene::tests
