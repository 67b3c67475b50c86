#include <convene/protocol/json/json_scan.hpp>
#include <convene/runtime/data/yaml/core_schema.hpp>
#include <convene/runtime/data/yaml/yaml.hpp>
#include <convene/runtime/data/yaml/yaml_events.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;

std::string_view text_of(const yaml_char_t* what) {
  return what == nullptr ? std::string_view{}
                         : reinterpret_cast<const char*>(what);
}

/// Writes what the events mean as JSON text, with marks. Duplicate keys, the
/// range of numbers and the sizes of strings are left to the reader of JSON.
class json_of_events {
public:
  json_of_events(yaml_events& from, const json_limits& limits,
                 yaml_document& into)
    : from_{from}, limits_{limits}, into_{into} {}

  result<void> write() {
    for (;;) {
      const auto event = from_.next();
      if (!event)
        return fail(event.error());
      const auto [line, column] = from_.place_of((*event)->start_mark);
      line_ = line;
      column_ = column;
      if ((*event)->type == YAML_STREAM_END_EVENT)
        return documents_ == 0
                 ? refuse("empty", "the text is empty: write a value")
                 : result<void>{};
      if (auto done = take(**event); !done)
        return done;
      if (out().size() > limits_.bytes)
        return refuse("size",
                      "the document is longer than "
                        + std::to_string(limits_.bytes) + " bytes: split it",
                      errc::limit_reached);
    }
  }

private:
  struct container {
    bool is_object = false;
    bool awaits_value = false; ///< the last thing was a key
    bool is_empty = true;
    std::size_t begin = 0;
    std::string anchor;
  };

  /// A part of the JSON text.
  struct span {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  [[nodiscard]] tl::unexpected<error>
  refuse(std::string rule, std::string message,
         errc code = errc::invalid_json) const {
    return fail({.code = code,
                 .message = std::move(message),
                 .rule = std::move(rule),
                 .line = line_,
                 .column = column_});
  }

  [[nodiscard]] std::string& out() const {
    return into_.json;
  }

  [[nodiscard]] bool is_key() const {
    return !open_.empty() && open_.back().is_object
           && !open_.back().awaits_value;
  }

  result<void> take(const yaml_event_t& event) {
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT:
        if (documents_++ != 0)
          return refuse("yaml_documents",
                        "a second document begins here: a file has one");
        return {};
      case YAML_SCALAR_EVENT:
        return scalar(event.data.scalar);
      case YAML_ALIAS_EVENT:
        return alias(text_of(event.data.alias.anchor));
      case YAML_SEQUENCE_START_EVENT:
        return open('[', text_of(event.data.sequence_start.anchor),
                    text_of(event.data.sequence_start.tag));
      case YAML_MAPPING_START_EVENT:
        return open('{', text_of(event.data.mapping_start.anchor),
                    text_of(event.data.mapping_start.tag));
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        close();
        return {};
      default:
        return {};
    }
  }

  /// What stands between the last part and the next, which begins here.
  void separate() {
    if (!open_.empty()) {
      auto& last = open_.back();
      if (last.awaits_value)
        out() += ':';
      else if (!std::exchange(last.is_empty, false))
        out() += ',';
      if (last.is_object)
        last.awaits_value = !last.awaits_value;
    }
    into_.marks.push_back({static_cast<std::uint32_t>(out().size()),
                           static_cast<std::uint32_t>(line_),
                           static_cast<std::uint32_t>(column_)});
  }

  result<void> add(std::string_view json) {
    if (is_key() && !json.starts_with('"'))
      return refuse("yaml_key", "a key must be a string: quote it");
    separate();
    out() += json;
    return {};
  }

  result<void> scalar(const auto& what) {
    const std::string_view text{reinterpret_cast<const char*>(what.value),
                                what.length};
    const auto tag = text_of(what.tag);
    if (!tag.empty() && tag != "!" && tag != YAML_STR_TAG)
      return refuse_tag(tag);
    const auto begin_anchor = text_of(what.anchor);
    auto json = tag.empty() && what.style == YAML_PLAIN_SCALAR_STYLE
                  ? json_of_plain(text)
                  : json_of_string(text);
    if (!json) {
      json.error().line = line_;
      json.error().column = column_;
      return fail(std::move(json).error());
    }
    auto done = add(*json);
    if (done && !begin_anchor.empty())
      anchors_[std::string{begin_anchor}] = {out().size() - json->size(),
                                             out().size()};
    return done;
  }

  result<void> alias(std::string_view name) {
    const auto found = anchors_.find(name);
    if (found == anchors_.end())
      return refuse("yaml_alias", "no value before this alias has the anchor "
                                  "&"
                                    + std::string{name});
    const auto [begin, end] = found->second;
    alias_bytes_ += end - begin;
    if (alias_bytes_ > yaml_alias_bytes_max)
      return refuse("yaml_alias_bytes_max",
                    "the aliases stand for more than "
                      + std::to_string(yaml_alias_bytes_max) + " bytes",
                    errc::limit_reached);
    return add(out().substr(begin, end - begin));
  }

  result<void> open(char bracket, std::string_view anchor,
                    std::string_view tag) {
    if (!tag.empty() && tag != "!")
      return refuse_tag(tag);
    if (is_key())
      return add({}); // no string
    if (open_.size() >= limits_.depth)
      return refuse("depth",
                    "lists and mappings are nested deeper than "
                      + std::to_string(limits_.depth) + ": flatten them",
                    errc::limit_reached);
    separate();
    if (const auto old = anchors_.find(anchor); old != anchors_.end())
      anchors_.erase(old);
    open_.push_back({.is_object = bracket == '{',
                     .begin = out().size(),
                     .anchor = std::string{anchor}});
    out() += bracket;
    return {};
  }

  void close() {
    auto& last = open_.back();
    out() += last.is_object ? '}' : ']';
    if (!last.anchor.empty())
      anchors_[std::move(last.anchor)] = {last.begin, out().size()};
    open_.pop_back();
  }

  [[nodiscard]] tl::unexpected<error> refuse_tag(std::string_view tag) const {
    return refuse("yaml_tag", "the tag " + shorten(tag)
                                + " is not supported: leave it out");
  }

  yaml_events& from_;
  const json_limits& limits_;
  yaml_document& into_;
  std::vector<container> open_;
  std::map<std::string, span, std::less<>> anchors_;
  std::size_t alias_bytes_ = 0;
  std::size_t documents_ = 0;
  std::size_t line_ = 1;
  std::size_t column_ = 1;
};

/// What libyaml would read in another way than YAML 1.2 has it, or slowly.
std::optional<error> check_text(std::string_view text,
                                const json_limits& limits) {
  if (text.size() > limits.bytes)
    return error{.code = errc::limit_reached,
                 .message = "the text is longer than "
                            + std::to_string(limits.bytes) + " bytes: split it",
                 .rule = "size",
                 .value = std::to_string(text.size()) + " bytes"};
  if (const auto at = find_invalid_utf8(text); at != text.npos)
    return fault_at(text, at, "utf8",
                    "the text is not valid UTF-8 here: save it as UTF-8");
  for (const std::string_view other :
       {"\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"})
    if (const auto at = text.find(other); at != text.npos)
      return fault_at(text, at, "yaml_line_break",
                      "YAML versions disagree on this line break: write it as "
                      "\\u0085, \\u2028 or \\u2029 in double quotes");
  for (std::size_t at = 0; at != text.npos;) {
    const auto rest = text.substr(at);
    if (rest.starts_with('%')
        && rest.substr(0, rest.find_first_of("\r\n #", 6)) != "%YAML 1.2")
      return fault_at(text, at, "yaml_directive",
                      "a line that begins with % is a directive, and the only "
                      "one that is supported is %YAML 1.2: leave it out");
    at = text.find_first_of("\r\n", at);
    at = at == text.npos ? at : text.find_first_not_of("\r\n", at);
  }
  return std::nullopt;
}

} // namespace

bool is_yaml(const std::filesystem::path& file) {
  const auto extension = file.extension();
  return extension == ".yaml" || extension == ".yml";
}

text_place place_in_yaml(const std::vector<yaml_mark>& marks,
                         std::size_t offset) noexcept {
  const auto after = std::ranges::upper_bound(marks, offset, {},
                                              &yaml_mark::offset);
  if (after == marks.begin())
    return {};
  const auto& last = *std::prev(after);
  return {last.line, last.column};
}

result<yaml_document> parse_yaml(std::string_view text,
                                 const json_limits& limits) {
  const auto& library = find_yaml();
  if (!library)
    return fail(library.error());
  if (text.starts_with("\xef\xbb\xbf"))
    text.remove_prefix(3);
  if (auto wrong = check_text(text, limits))
    return fail(*std::move(wrong));
  yaml_document made;
  yaml_events events{*library, text};
  if (auto done = json_of_events{events, limits, made}.write(); !done)
    return fail(std::move(done).error());
  auto value = parse_json(made.json, limits);
  if (!value) {
    auto why = std::move(value).error();
    if (why.line != 0) { // of the JSON text, which is one line
      const auto [line, column] = place_in_yaml(made.marks, why.column - 1);
      why.line = line;
      why.column = column;
    }
    return fail(std::move(why));
  }
  made.value = *std::move(value);
  return made;
}

} // namespace convene::host
