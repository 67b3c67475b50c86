#include <boost/json/serialize.hpp>
#include <convene/protocol/base/uuid_table.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <convene/protocol/strict/derived_events.hpp>
#include <convene/protocol/strict/official_schema.hpp>
#include <convene/protocol/strict/strict_form.hpp>
#include <convene/runtime/data/documents/sources.hpp>
#include <convene/runtime/data/documents/strict_export.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;

constexpr std::string_view aliases_file = "aliases.json";

/// Two passes over the same items: the ids of all, then all in strict form.
class exporter {
public:
  exporter(const fs::path& path, const export_sink& sink)
    : sink_(sink), path_(path) {}

  result<export_report> run() {
    auto found = export_sources(path_);
    if (!found)
      return fail(std::move(found).error());
    sources_ = std::move(*found);
    return pass([this](const read_item& item) { return collect(item); })
      .and_then([this] { return aliases_.settle(); })
      .and_then([this] {
        return pass([this](const read_item& item) { return convert(item); });
      })
      .and_then([this] { return finish(); })
      .map([this] { return std::move(report_); });
  }

private:
  result<void> pass(const item_visitor& visit) {
    ordinal_ = 0;
    for (const auto& source : sources_)
      if (auto done = visit_items(source, visit); !done)
        return done;
    return {};
  }

  /// Whether the item is a file in a folder that has no strict form.
  bool is_left_out(const read_item& item) const {
    return item.line == 0 && item.from.path != path_
           && official_schema(item.value).empty();
  }

  result<void> collect(const read_item& item) {
    if (!is_left_out(item))
      collect_ids(item.value, ordinal_++, aliases_);
    return {};
  }

  result<void> convert(const read_item& item) {
    if (is_left_out(item)) {
      report_.left_out.push_back(item.file);
      return {};
    }
    if (item.from.name == aliases_file)
      return fail({.code = errc::invalid_document,
                   .message = "has the name of the table of ids that goes with "
                              "an export; rename it",
                   .rule = "aliases_file"});
    reading_notes notes;
    auto made = to_strict(item.value, ordinal_++, aliases_, notes);
    if (!made)
      return fail(std::move(made).error());
    report_.notes_total += notes.total;
    for (auto& one : notes.first)
      if (report_.notes.size() < reading_notes_max)
        report_.notes.push_back({item.file, item.line, std::move(one)});
    if (report_.files.empty() || report_.files.back().file != item.from.name)
      report_.files.push_back({item.file, item.from.name});
    ++report_.files.back().documents;
    if (!item.from.is_events)
      return sink_(item.from.name, pretty(made->value));
    return write_event(item.from.name, made->value).and_then([&] {
      return write_twins(item.from.name, made->value.get_object());
    });
  }

  result<void> write_twins(const std::string& file, const json::object& event) {
    for (const auto& twin : derived_.of(event)) {
      const auto schema = embedded_schema(twin.schema);
      if (!schema)
        return fail(schema.error());
      if (!validate(*schema, twin.value).valid)
        return fail({.code = errc::internal,
                     .message = "an event made for it would not be valid by "
                                + std::string{twin.schema}});
      ++report_.files.back().derived;
      if (auto done = write_event(file, twin.value); !done)
        return done;
    }
    return {};
  }

  result<void> write_event(const std::string& file, const json::value& event) {
    const std::string_view id = text_of(event.get_object(), "event_id");
    if (const auto known = parse_uuid(id); known && !events_.insert(*known))
      return fail({.code = errc::invalid_document,
                   .message = "is the id of an earlier event too",
                   .pointer = "/event_id",
                   .rule = "duplicate_event_id",
                   .value = std::string{id}});
    return sink_(file, json::serialize(event) + '\n');
  }

  result<void> finish() {
    if (report_.files.empty())
      return fail(file_error(errc::unreadable, path_,
                             "nothing there that has a strict form"));
    report_.aliases = aliases_.to_json();
    return sink_(std::string{aliases_file}, pretty(report_.aliases));
  }

  const export_sink& sink_;
  fs::path path_;
  std::vector<export_source> sources_;
  alias_table aliases_;
  derived_events derived_;
  uuid_table events_;
  std::size_t ordinal_ = 0;
  export_report report_;
};

} // namespace

result<export_report> export_strict(const fs::path& path,
                                    const export_sink& sink) {
  return exporter{path, sink}.run();
}

} // namespace convene::host
