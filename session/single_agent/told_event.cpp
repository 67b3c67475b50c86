#include <boost/json/serialize.hpp>
#include <convene/session/single_agent/told_event.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace convene::session {
namespace {

char* put(char* at, std::string_view bytes) noexcept {
  std::memcpy(at, bytes.data(), bytes.size());
  return at + bytes.size();
}

} // namespace

void told_event::begin(std::string_view event_type) {
  line_.clear();
  members_.clear();
  payload_.clear();
  step_id = {};
  type_ = event_type;
  is_inside_ = false;
  is_first_ = true;
}

char* told_event::name(std::string_view name, std::size_t bytes) {
  constexpr std::size_t around = 4; // comma or brace, two quotes, colon
  auto* at = line_.reserve(name.size() + around + bytes);
  *at++ = is_first_ ? '{' : ',';
  *at++ = '"';
  at = put(at, name);
  at = put(at, "\":");
  is_first_ = false;
  (is_inside_ ? payload_ : members_)
    .push_back({name, static_cast<std::size_t>(at - line_.view().data()), 0});
  return at;
}

void told_event::commit(const char* end) noexcept {
  line_.commit(end);
  (is_inside_ ? payload_ : members_).back().end = line_.size();
}

void told_event::id(std::string_view name, const protocol::uuid& value) {
  const auto text = to_chars(value);
  word(name, {text.data(), text.size()});
}

void told_event::number(std::string_view name, std::int64_t value) {
  constexpr std::size_t digits_max = 20;
  auto* const at = this->name(name, digits_max);
  commit(std::to_chars(at, at + digits_max, value).ptr);
}

void told_event::text(std::string_view name, std::string_view value) {
  json(name, boost::json::serialize(boost::json::string{value}));
}

void told_event::word(std::string_view name, std::string_view value) {
  auto* at = this->name(name, value.size() + 2);
  *at++ = '"';
  at = put(at, value);
  *at++ = '"';
  commit(at);
}

void told_event::json(std::string_view name, std::string_view value) {
  commit(put(this->name(name, value.size()), value));
}

void told_event::open(std::string_view name) {
  line_.commit(this->name(name, 0));
  is_inside_ = is_first_ = true;
}

void told_event::close() {
  line_.append(is_first_ ? "{}" : "}");
  is_inside_ = is_first_ = false;
  members_.back().end = line_.size();
}

void told_event::end() {
  if (is_inside_)
    close();
  line_.append("}");
}

std::string_view told_event::value_of(std::string_view name) const noexcept {
  const auto found = std::ranges::find(members_, name, &member::name);
  return found == members_.end() ? std::string_view{} : value_of(*found);
}

std::string_view
told_event::payload_value_of(std::string_view name) const noexcept {
  const auto found = std::ranges::find(payload_, name, &member::name);
  return found == payload_.end() ? std::string_view{} : value_of(*found);
}

} // namespace convene::session
