#include <boost/json/serialize.hpp>
#include <convene/runtime/single_agent/log_digest.hpp>

namespace convene::host {

namespace json = boost::json;

void log_digest::add(std::string_view line) {
  before_.add(line);
  before_.add("\n");
}

std::string log_digest::of(const json::object& last) {
  before_.add(json::serialize(last));
  return before_.finish_hex();
}

std::string log_digest::sealed(const json::object& last) {
  auto made = last;
  made["payload"].as_object()[member] = of(last);
  return json::serialize(made);
}

std::string log_digest::take_off(json::value& event) {
  auto* const object = event.if_object();
  auto* const payload = object == nullptr ? nullptr
                                          : object->if_contains("payload");
  if (payload == nullptr || !payload->is_object())
    return {};
  auto& members = payload->get_object();
  const auto* const found = members.if_contains(member);
  if (found == nullptr || !found->is_string())
    return {};
  std::string text{found->get_string()};
  members.erase(member);
  return text;
}

} // namespace convene::host
