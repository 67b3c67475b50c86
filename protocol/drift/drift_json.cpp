#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/drift/drift_json.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <utility>

namespace convene::protocol {
namespace {

constexpr std::string_view detected_type = "drift_detected";
constexpr std::string_view resolved_type = "drift_resolved";

tl::unexpected<error> bad_member(std::string message, std::string pointer,
                                 std::string rule) {
  return fail({.code = errc::invalid_document,
               .message = std::move(message),
               .pointer = std::move(pointer),
               .rule = std::move(rule)});
}

void add_text(json::object& to, std::string_view name,
              const std::string& text) {
  if (!text.empty())
    to.emplace(name, text);
}

json::object state_json(const file_state& state) {
  json::object made{{"exists", state.exists}};
  if (state.exists) {
    made.emplace("sha256", state.sha256);
    made.emplace("bytes", static_cast<std::int64_t>(state.bytes));
  }
  return made;
}

result<file_state> read_state(const json::object& from, std::string_view name,
                              const std::string& pointer) {
  const auto at = pointer + '/' + std::string{name};
  const auto& state = object_of(from, name);
  const auto* const exists = state.if_contains("exists");
  if (exists == nullptr || !exists->is_bool())
    return bad_member("has no \"exists\" that is true or false", at,
                      "required");
  if (!exists->get_bool())
    return file_state{};
  const auto bytes = integer_of(state, "bytes");
  if (!is_lower_hex(text_of(state, "sha256"), 64) || !bytes || *bytes < 0)
    return bad_member("needs \"sha256\", 64 hexadecimal digits in lower case, "
                      "and \"bytes\"",
                      at, "pattern");
  return file_state{.exists = true,
                    .sha256 = std::string{text_of(state, "sha256")},
                    .bytes = static_cast<std::uint64_t>(*bytes)};
}

result<std::string> read_path(const json::object& from, std::string_view name,
                              const std::string& pointer) {
  const auto path = text_of(from, name);
  if (const auto why = why_not_below(path); !why.empty())
    return bad_member("the path " + quote(path) + ' ' + std::string{why},
                      pointer + '/' + std::string{name}, "pattern");
  return std::string{path};
}

result<timestamp_ms> read_time(const json::object& from,
                               const std::string& pointer) {
  const auto at = parse_timestamp(text_of(from, "at"));
  if (!at)
    return bad_member("is not a time", pointer + "/at", "pattern");
  return *at;
}

result<drift_record> read_record(const json::object& from,
                                 const std::string& pointer) {
  const auto type = from_word<drift_type>(text_of(from, "drift_type"));
  if (!type || *type == drift_type::renamed)
    return bad_member("is not added, deleted or modified",
                      pointer + "/drift_type", "enum");
  auto path = read_path(from, "path", pointer);
  auto expected = read_state(from, "expected", pointer);
  auto actual = read_state(from, "actual", pointer);
  const auto at = read_time(from, pointer);
  if (!path || !expected || !actual || !at)
    return fail(!path       ? path.error()
                : !expected ? expected.error()
                : !actual   ? actual.error()
                            : at.error());
  return drift_record{.type = *type,
                      .path = *std::move(path),
                      .node = std::string{text_of(from, "node")},
                      .expected = *std::move(expected),
                      .actual = *std::move(actual),
                      .at = *at};
}

result<artifact> read_artifact(const json::value& from, timestamp_ms at,
                               const std::string& pointer) {
  const auto* const one = from.if_object();
  if (one == nullptr)
    return bad_member("is not an object", pointer, "type");
  auto path = read_path(*one, "path", pointer);
  if (!path)
    return fail(std::move(path).error());
  auto expected = read_state(*one, "expected", pointer);
  if (!expected)
    return fail(std::move(expected).error());
  return artifact{.path = *std::move(path),
                  .node = std::string{text_of(*one, "node")},
                  .expected = *std::move(expected),
                  .at = at};
}

} // namespace

json::object to_json(const drift_record& record) {
  json::object made{{"drift_type", to_word(record.type)},
                    {"severity", to_word(severity_of(record.type))},
                    {"path", record.path}};
  add_text(made, "new_path", record.new_path);
  add_text(made, "node", record.node);
  made.emplace("expected", state_json(record.expected));
  made.emplace("actual", state_json(record.actual));
  made.emplace("at", format_timestamp(record.at));
  return made;
}

json::object to_json(const drift_baseline& baseline) {
  auto sorted = baseline.artifacts;
  std::ranges::sort(sorted, {}, &artifact::path);
  json::array artifacts;
  for (const auto& each : sorted) {
    json::object one{{"path", each.path}};
    add_text(one, "node", each.node);
    one.emplace("expected", state_json(each.expected));
    artifacts.push_back(std::move(one));
  }
  json::object made{{"format", 1},
                    {"folder", baseline.folder},
                    {"at", format_timestamp(baseline.at)},
                    {"whole", baseline.whole},
                    {"excluded", json::array(baseline.excluded.begin(),
                                             baseline.excluded.end())}};
  add_text(made, "commit", baseline.commit);
  made.emplace("artifacts", std::move(artifacts));
  return made;
}

bool is_baseline(const json::object& document) noexcept {
  return document.contains("artifacts") && document.contains("format");
}

result<drift_baseline> read_baseline(const json::object& from) {
  if (integer_of(from, "format") != 1)
    return bad_member("is not a record of files of format 1", "/format",
                      "drift_format");
  const auto at = read_time(from, "");
  if (!at)
    return fail(at.error());
  const auto* const whole = from.if_contains("whole");
  const auto* const artifacts = from.if_contains("artifacts");
  if (whole == nullptr || !whole->is_bool())
    return bad_member("\"whole\" is neither true nor false", "/whole",
                      "required");
  if (artifacts == nullptr || !artifacts->is_array())
    return bad_member("\"artifacts\" is not an array", "/artifacts",
                      "required");
  drift_baseline made{.folder = std::string{text_of(from, "folder")},
                      .at = *at,
                      .whole = whole->get_bool(),
                      .commit = std::string{text_of(from, "commit")}};
  for (const auto each : texts_of(from, "excluded"))
    made.excluded.emplace_back(each);
  const auto& list = artifacts->get_array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto one = read_artifact(list[i], *at, "/artifacts/" + std::to_string(i));
    if (!one)
      return fail(std::move(one).error());
    made.artifacts.push_back(*std::move(one));
  }
  return made;
}

core_event drift_event(drift_change how, const drift_record& record, uuid id,
                       timestamp_ms at) {
  const auto type = how == drift_change::resolved ? resolved_type
                                                  : detected_type;
  return {.event_id = to_string(id),
          .event_type = std::string{type},
          .event_family = event_family::external_integration,
          .timestamp = format_timestamp(at),
          .payload = to_json(record),
          .others = {{"source", "convene-drift"}}};
}

result<std::optional<told_drift>> read_drift_event(const json::object& event) {
  const auto type = text_of(event, "event_type");
  if (type != detected_type && type != resolved_type)
    return std::nullopt;
  auto record = read_record(object_of(event, "payload"), "/payload");
  if (!record)
    return fail(std::move(record).error());
  return told_drift{type == detected_type, *std::move(record)};
}

} // namespace convene::protocol
