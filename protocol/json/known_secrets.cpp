#include <convene/protocol/json/known_secrets.hpp>

#include <algorithm>
#include <utility>

namespace convene::protocol {
namespace {

constexpr std::string_view mark = "***";

} // namespace

bool known_secrets::add(std::string_view secret) {
  if (secret.size() < bytes_min
      || std::ranges::find(all_, secret) != all_.end())
    return false;
  const auto place = std::ranges::find_if(all_, [&](const auto& each) {
    return each.size() < secret.size();
  });
  all_.emplace(place, secret);
  return true;
}

bool known_secrets::mask(std::string& text) const {
  bool found = false;
  for (const auto& secret : all_)
    for (auto at = text.find(secret); at != text.npos;
         at = text.find(secret, at + mark.size())) {
      text.replace(at, secret.size(), mark);
      found = true;
    }
  return found;
}

bool known_secrets::mask(boost::json::value& value) const {
  bool found = false;
  if (auto* const text = value.if_string()) {
    std::string copy{*text};
    found = mask(copy);
    if (found)
      *text = copy;
  } else if (auto* const array = value.if_array()) {
    for (auto& each : *array)
      found = mask(each) || found;
  } else if (auto* const object = value.if_object()) {
    bool renamed = false;
    for (auto& [name, member] : *object) {
      std::string copy{name};
      renamed = mask(copy) || renamed;
      found = mask(member) || found;
    }
    if (renamed) {
      boost::json::object masked{object->storage()};
      for (auto& [name, member] : *object) {
        std::string copy{name};
        mask(copy);
        masked.insert_or_assign(copy, std::move(member));
      }
      *object = std::move(masked);
    }
    found = found || renamed;
  }
  return found;
}

} // namespace convene::protocol
