#include <boost/json/serialize.hpp>
#include <convene/cli/pages/deflate.hpp>
#include <convene/cli/pages/html_page.hpp>
#include <convene/cli/pages/report_page.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <cmath>
#include <string_view>

namespace convene::cli {
namespace {

namespace json = boost::json;

json::string text(const std::string& given) {
  return json::string{protocol::sanitize_utf8(given)};
}

/// JSON has no number that is not finite, and no axis has room for all of them.
json::value number(const std::optional<double>& given) {
  constexpr double most = 1e100;
  constexpr double least = 1e-100;
  if (!given || !(std::abs(*given) <= most))
    return {};
  return std::abs(*given) < least ? 0.0 : *given;
}

template <class T, class F>
json::array each(const std::vector<T>& all, F to_value) {
  json::array made;
  made.reserve(all.size());
  for (const auto& one : all)
    made.push_back(to_value(one));
  return made;
}

// In the order of their enumerators.
constexpr std::string_view unit_words[]{"number", "share", "milliseconds",
                                        "bytes", "microusd"};
constexpr std::string_view scale_words[]{"linear", "logarithmic", "percentile"};
constexpr std::string_view tone_words[]{"neutral", "good", "bad"};
constexpr std::string_view better_words[]{"neither", "lower", "higher"};

std::string_view word(report_unit unit) {
  return unit_words[static_cast<std::size_t>(unit)];
}

std::string_view word(report_scale scale) {
  return scale_words[static_cast<std::size_t>(scale)];
}

std::string_view word(report_tone tone) {
  return tone_words[static_cast<std::size_t>(tone)];
}

std::string_view word(report_better better) {
  return better_words[static_cast<std::size_t>(better)];
}

json::object named(const std::string& name, const report_estimate& of) {
  json::object made{{"name", text(name)},
                    {"value", number(of.value)},
                    {"low", number(of.low)},
                    {"high", number(of.high)}};
  if (of.infinite != 0)
    made.emplace("infinite", of.infinite);
  return made;
}

json::object named(const std::pair<std::string, report_estimate>& one) {
  return named(one.first, one.second);
}

json::object content_of(const report_distributions& all) {
  auto rows = each(all.rows, [](const report_distribution& row) -> json::value {
    return {{"name", text(row.name)},
            {"unit", word(row.unit)},
            {"min", number(row.min)},
            {"max", number(row.max)},
            {"rows",
             each(row.quantiles, [](const auto& one) { return named(one); })},
            {"bins", each(row.bins,
                          [](const report_bin& bin) -> json::value {
                            return {{"from", number(bin.from)},
                                    {"to", number(bin.to)},
                                    {"count", number(bin.count)}};
                          })},
            {"unknown", text(row.unknown)}};
  });
  return {{"kind", "distributions"}, {"panels", std::move(rows)}};
}

json::object content_of(const report_multiples& all) {
  auto panels = each(all.panels, [](const report_panel& panel) -> json::value {
    return {{"name", text(panel.name)},
            {"unit", word(panel.unit)},
            {"is_difference", panel.is_difference},
            {"better", word(panel.better)},
            {"rows",
             each(panel.variants, [](const auto& one) { return named(one); })},
            {"unknown", text(panel.unknown)}};
  });
  return {{"kind", "multiples"}, {"panels", std::move(panels)}};
}

json::object content_of(const report_lines& all) {
  const auto axis = [](const std::string& name, report_unit unit,
                       report_scale scale) -> json::object {
    return {{"name", text(name)}, {"unit", word(unit)}, {"scale", word(scale)}};
  };
  return {
    {"kind", "lines"},
    {"x", axis(all.x_name, all.x_unit, all.x_scale)},
    {"y", axis(all.y_name, all.y_unit, all.y_scale)},
    {"series",
     each(all.series,
          [](const report_series& one) -> json::value {
            return {{"name", text(one.name)},
                    {"points",
                     each(one.points,
                          [](const report_point& at) -> json::value {
                            return json::array{number(at.x), number(at.y)};
                          })}};
          })},
    {"marks",
     each(all.marks,
          [](const auto& mark) -> json::value {
            return {{"x", number(mark.first)}, {"text", text(mark.second)}};
          })},
    {"levels", each(all.levels, [](const auto& level) -> json::value {
       return {{"y", number(level.first)}, {"text", text(level.second)}};
     })}};
}

json::object content_of(const report_bars& all) {
  return {{"kind", "bars"},
          {"unit", word(all.unit)},
          {"rows", each(all.bars, [](const report_bar& bar) {
             auto made = named(bar.name, bar.estimate);
             made.emplace("tone", word(bar.tone));
             return made;
           })}};
}

json::object content_of(const report_table& all) {
  const auto cell = [](const report_cell& one) -> json::value {
    if (const auto* words = std::get_if<std::string>(&one))
      return text(*words);
    return number(std::get<double>(one));
  };
  return {{"kind", "table"},
          {"columns", each(all.columns,
                           [](const report_column& column) -> json::value {
                             return {{"name", text(column.name)},
                                     {"unit", word(column.unit)},
                                     {"is_code", column.is_code},
                                     {"is_link", column.is_link}};
                           })},
          {"rows", each(all.rows, [&](const auto& row) -> json::value {
             return each(row, cell);
           })}};
}

json::value part_of(const report_part& part) {
  auto made = std::visit([](const auto& one) { return content_of(one); },
                         part.content);
  made.emplace("title", text(part.title));
  made.emplace("note", text(part.note));
  return made;
}

} // namespace

protocol::result<std::string> to_html(const report_page& page,
                                      std::size_t bytes_max) {
  const json::object all{
    {"title", text(page.title)},
    {"subtitle", text(page.subtitle)},
    {"verdicts",
     each(page.verdicts,
          [](const report_verdict& one) -> json::value {
            return {{"tone", word(one.tone)}, {"text", text(one.text)}};
          })},
    {"facts", each(page.facts,
                   [](const auto& fact) -> json::value {
                     return json::array{text(fact.first), text(fact.second)};
                   })},
    {"parts", each(page.parts, part_of)}};
  const auto shown = json::serialize(all);
  const auto data = json::serialize(page.data);
  if (shown.size() + data.size() > bytes_max)
    return protocol::fail(protocol::errc::limit_reached,
                          "a report cannot have over "
                            + std::to_string(bytes_max) + " bytes of data",
                          "report_bytes_max");
  return to_html({.title = "convene: " + protocol::sanitize_utf8(page.title),
                  .source = report_source(),
                  .first = {{"report", deflated(shown)}},
                  .later = {{"raw", deflated(data)}}});
}

} // namespace convene::cli
