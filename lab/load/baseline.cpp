#include <boost/json/serialize.hpp>
#include <convene/lab/load/load_summary.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/json_file.hpp>

#include <array>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

/// A figure of a summary, and which way it is better.
struct compared {
  const char* name;
  const char* pointer;
  bool lower_is_better;
};

constexpr std::array<compared, 7> figures{{
  {"session.p50", "/latency/session/p50_ms", true},
  {"session.p99", "/latency/session/p99_ms", true},
  {"turn.p50", "/latency/turn/p50_ms", true},
  {"turn.p99", "/latency/turn/p99_ms", true},
  {"sessions/s", "/rates/sessions_a_second", false},
  {"turns/s", "/rates/turns_a_second", false},
  {"errors", "/errors/share", true},
}};

std::optional<double> figure_at(const json::value& summary,
                                const char* pointer) {
  boost::system::error_code missing;
  const auto* const found = summary.find_pointer(pointer, missing);
  if (found == nullptr || !found->is_number())
    return std::nullopt;
  return found->to_number<double>();
}

/// The first member by which two loads differ; empty: none.
std::string difference(const json::object& one, const json::object& other) {
  for (const auto& [name, value] : one) {
    const auto* const there = other.if_contains(name);
    if (there == nullptr || *there != value)
      return std::string{name};
  }
  for (const auto& [name, value] : other)
    if (!one.contains(name))
      return std::string{name};
  return {};
}

} // namespace

result<json::value> read_baseline(const std::filesystem::path& file,
                                  const json::object& load) {
  const auto earlier = read_json(file);
  if (!earlier)
    return fail(earlier.error());
  const auto* const object = earlier->if_object();
  const auto* const before = object == nullptr ? nullptr
                                               : object->if_contains("load");
  if (before == nullptr || !before->is_object())
    return fail(file_error(errc::invalid_document, file,
                           "is not a summary of convene load: give the "
                           "summary.json of an earlier load",
                           "baseline_invalid"));
  // As it is when it is read again: numbers may have another kind.
  const auto now = parse_json(json::serialize(load)).value();
  if (const auto name = difference(now.as_object(), before->get_object());
      !name.empty())
    return fail(file_error(errc::usage, file,
                           "is of another load: it differs in " + name,
                           "baseline_differs"));
  return earlier;
}

void compare_with_baseline(json::object& summary, const json::value& earlier,
                           double tolerance) {
  const json::value now = summary;
  json::array worse;
  for (const auto& each : figures) {
    const auto was = figure_at(earlier, each.pointer);
    const auto is = figure_at(now, each.pointer);
    if (!was || !is)
      continue;
    const auto bearable = each.lower_is_better ? *was * (1 + tolerance)
                                               : *was * (1 - tolerance);
    if (each.lower_is_better ? *is > bearable : *is < bearable)
      worse.push_back(
        json::object{{"figure", each.name}, {"before", *was}, {"now", *is}});
  }
  if (!worse.empty())
    summary["good"] = false;
  summary["baseline"] = json::object{{"tolerance", tolerance},
                                     {"worse", std::move(worse)}};
}

} // namespace convene::host
