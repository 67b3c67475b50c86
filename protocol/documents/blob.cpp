#include <boost/json/serialize.hpp>
#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/documents/blob.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>

#include <cmath>
#include <utility>

namespace convene::protocol {
namespace {

/// Goes through a value as far as it can become a blob.
class inspection {
public:
  explicit inspection(std::size_t depth_max) : depth_max_{depth_max} {}

  /// The rule that the value breaks; empty: none.
  std::string_view look_at(const json::value& what, std::size_t depth = 1) {
    if (depth > depth_max_)
      return "action_depth_max";
    if (const auto* array = what.if_array()) {
      for (const auto& each : *array)
        if (const auto rule = look_at(each, depth + 1); !rule.empty())
          return rule;
    } else if (const auto* object = what.if_object()) {
      for (const auto& [name, member] : *object) {
        if (const auto rule = look_at_text(name); !rule.empty())
          return rule;
        if (const auto rule = look_at(member, depth + 1); !rule.empty())
          return rule;
      }
    } else if (const auto* text = what.if_string()) {
      return look_at_text(*text);
    } else if (const auto* number = what.if_double();
               number != nullptr && !std::isfinite(*number)) {
      return "action_output_invalid";
    }
    return add(1);
  }

private:
  std::string_view look_at_text(std::string_view text) {
    const auto rule = add(text.size());
    return rule.empty() && !valid_utf8(text) ? "action_output_invalid" : rule;
  }

  std::string_view add(std::size_t bytes) {
    bytes_ += bytes;
    return bytes_ > blob_bytes_max ? std::string_view{"action_bytes_max"}
                                   : std::string_view{};
  }

  std::size_t depth_max_;
  std::size_t bytes_ = 0; // no more than its text has
};

std::string message_of(std::string_view rule, std::size_t depth_max) {
  if (rule == "action_depth_max")
    return "it nests deeper than " + std::to_string(depth_max);
  if (rule == "action_bytes_max")
    return "it is larger than " + std::to_string(blob_bytes_max) + " bytes";
  return "it has a text that is not UTF-8, or a number that is not finite";
}

auto corrupt(std::string why) {
  return fail(errc::invalid_document, std::move(why), "blob_corrupt");
}

} // namespace

bool is_blob_name(std::string_view text) noexcept {
  return is_lower_hex(text, 64);
}

json::object encode(const blob& from) {
  return {{"blob", from.sha256},
          {"bytes", static_cast<std::int64_t>(from.bytes)}};
}

std::optional<blob> blob_in(const json::value& from) {
  const auto* object = from.if_object();
  if (object == nullptr || object->size() != 2)
    return std::nullopt;
  const auto name = text_of(*object, "blob");
  const auto bytes = integer_of(*object, "bytes");
  if (!is_blob_name(name) || !bytes || *bytes < 0)
    return std::nullopt;
  return blob{std::string{name}, static_cast<std::uint64_t>(*bytes)};
}

std::vector<blob> blobs_of_event(const json::object& event) {
  const auto type = text_of(event, "event_type");
  const auto& payload = object_of(event, "payload");
  const json::value* value = nullptr;
  if (type == "action_started")
    value = payload.if_contains("arguments");
  else if (type == "action_ended")
    value = object_of(payload, "result").if_contains("output");
  if (value != nullptr)
    if (auto found = blob_in(*value))
      return {*std::move(found)};
  return {};
}

std::vector<blob> blobs_of_line(std::string_view line) {
  if (line.find("blob\"") == line.npos)
    return {};
  const auto event = parse_json(line);
  if (!event || !event->is_object())
    return {};
  return blobs_of_event(event->get_object());
}

result<std::string> blob_text(const json::value& from, std::size_t depth_max) {
  const auto refuse = [&](std::string_view rule) {
    return fail(errc::limit_reached, message_of(rule, depth_max),
                std::string{rule});
  };
  if (const auto rule = inspection{depth_max}.look_at(from); !rule.empty())
    return refuse(rule);
  auto text = json::serialize(from);
  if (text.size() > blob_bytes_max)
    return refuse("action_bytes_max");
  return text;
}

result<json::value> read_blob_text(std::string_view text) {
  auto value = parse_json(text, {.bytes = blob_bytes_max,
                                 .string_bytes = blob_bytes_max});
  if (!value)
    return corrupt("it is not JSON: " + value.error().message);
  return *std::move(value);
}

} // namespace convene::protocol
