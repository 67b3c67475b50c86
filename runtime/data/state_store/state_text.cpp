#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/state_store/state_text.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;

constexpr std::int64_t export_version = 1;
constexpr std::string_view first_line = "{\"state_store\":1}\n";

/// What stands before the value of a record.
std::string head_of(const state_record& what) {
  std::string head = "{";
  const auto member = [&head](const char* name, const std::string& text) {
    if (!text.empty())
      head.append("\"").append(name).append("\":").append(json::serialize(text))
        += ',';
  };
  if (const auto* entry = std::get_if<state_entry>(&what)) {
    member("key", entry->key);
  } else {
    const auto& event = std::get<state_event>(what);
    member("event_id", event.event_id);
    member("trace_id", event.trace_id);
    member("context_id", event.context_id);
  }
  return head + "\"value\":";
}

std::string line_of(const state_record& what) {
  auto line = head_of(what);
  const auto begin = static_cast<std::ptrdiff_t>(line.size());
  line += std::visit(
    [](const auto& each) -> const auto& { return each.value; }, what);
  // Inside of strings they are escaped.
  std::replace_if(
    line.begin() + begin, line.end(),
    [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line + "}\n";
}

/// Reads the lines of an export, one after another.
class export_reader {
public:
  explicit export_reader(line_source from) : from_{std::move(from)} {}

  /// Nothing: the end, as it has to be.
  result<std::optional<state_record>> next() {
    if (number_ == 0)
      if (auto begun = read_first(); !begun)
        return fail(std::move(begun).error());
    const auto read = read_line();
    if (!read)
      return fail(read.error());
    const auto& [line, members] = *read;
    if (members.contains("end"))
      return read_end(members);
    auto record = record_of(members);
    if (!record)
      return fail(std::move(record).error());
    auto& value = std::visit(
      [](auto& each) -> std::string& { return each.value; }, *record);
    // As it is on the line, if that is written as here; else the same value.
    const auto head = head_of(*record);
    const auto found = members.find("value");
    value = line.starts_with(head) && line.ends_with('}')
              ? line.substr(head.size(), line.size() - head.size() - 1)
              : json::serialize(found->value());
    ++records_;
    return std::optional{*std::move(record)};
  }

private:
  using parsed_line = std::pair<std::string, json::object>;

  [[nodiscard]] tl::unexpected<error> refuse(std::string why) const {
    return fail({.code = errc::invalid_document,
                 .message = "no export of a state store: " + std::move(why),
                 .rule = "state_line",
                 .line = number_});
  }

  result<void> read_first() {
    return read_line().and_then([&](const parsed_line& read) -> result<void> {
      if (integer_of(read.second, "state_store") != export_version)
        return refuse(R"(it does not begin with {"state_store":1})");
      return {};
    });
  }

  result<parsed_line> read_line() {
    auto line = from_();
    if (!line)
      return fail(std::move(line).error());
    ++number_;
    if (!*line)
      return refuse("its last line, with the number of the others, is missing");
    auto text = **std::move(line);
    while (text.ends_with('\n') || text.ends_with('\r'))
      text.pop_back();
    auto value = parse_json(text, {.depth = json_limits{}.depth + 1,
                                   .bytes = state_line_bytes_max});
    if (!value)
      return refuse(value.error().message);
    if (!value->is_object())
      return refuse("a line is not an object");
    return parsed_line{std::move(text), std::move(value->get_object())};
  }

  result<std::optional<state_record>> read_end(const json::object& members) {
    if (integer_of(members, "end") != records_)
      return refuse("lines are missing before the last one");
    const auto more = from_();
    if (!more)
      return fail(more.error());
    if (*more)
      return refuse("lines follow the last one");
    return std::nullopt;
  }

  /// All but the value.
  result<state_record> record_of(const json::object& members) const {
    const bool is_entry = members.contains("key");
    for (const auto& [name, value] : members) {
      const bool is_known = name == "value"
                            || (is_entry
                                  ? name == "key"
                                  : name == "event_id" || name == "trace_id"
                                      || name == "context_id");
      if (!is_known || (name != "value" && !value.is_string()))
        return refuse("a line has an unknown member, or one of another type");
    }
    if (!members.contains("value"))
      return refuse("a line has no value");
    if (is_entry)
      return state_entry{std::string{text_of(members, "key")}, {}};
    return state_event{std::string{text_of(members, "event_id")},
                       std::string{text_of(members, "trace_id")},
                       std::string{text_of(members, "context_id")},
                       {}};
  }

  line_source from_;
  std::size_t number_ = 0; ///< of the line that was read last
  std::int64_t records_ = 0;
};

} // namespace

void export_state(state_store& from, line_sink into, when_state<void> then) {
  struct progress {
    line_sink into;
    std::int64_t records = 0;
  };
  const auto state = std::make_shared<progress>(progress{std::move(into)});
  from.visit(
    [state](const state_record& record) -> result<void> {
      if (state->records++ == 0)
        if (auto begun = state->into(first_line); !begun)
          return begun;
      return state->into(line_of(record));
    },
    [state, then = std::move(then)](const result<void>& shown) {
      then(shown
             .and_then([&] {
               return state->records == 0 ? state->into(first_line)
                                          : result<void>{};
             })
             .and_then([&] {
               return state->into("{\"end\":" + std::to_string(state->records)
                                  + "}\n");
             }));
    });
}

void import_state(state_store& into, line_source from, when_state<void> then) {
  const auto reader = std::make_shared<export_reader>(std::move(from));
  into.fill([reader] { return reader->next(); }, std::move(then));
}

} // namespace convene::host
