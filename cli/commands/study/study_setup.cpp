#include <convene/cli/commands/study/study_setup.hpp>
#include <convene/lab/simulation/property.hpp>
#include <convene/lab/simulation/property_program.hpp>
#include <convene/lab/simulation/stand_ins.hpp>
#include <convene/protocol/events/rules.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace convene::cli {

using protocol::errc;
using protocol::fail;
using protocol::result;

namespace {

constexpr std::size_t property_program_bytes_max = std::size_t{64} << 20;

result<std::size_t> read_sample(std::string_view text) {
  constexpr std::string_view kind = "latin:";
  std::size_t count = 0;
  const auto number = text.substr(std::min(kind.size(), text.size()));
  const auto* const end = number.data() + number.size();
  const auto [at, failed] = std::from_chars(number.data(), end, count);
  if (!text.starts_with(kind) || failed != std::errc{} || at != end
      || count == 0)
    return fail(errc::usage,
                "--sample: give latin:N, with the number of points, as in "
                "latin:200",
                "sample");
  if (count > host::points_max)
    return fail(errc::limit_reached,
                "--sample: at most " + std::to_string(host::points_max)
                  + " points",
                "points_max");
  return count;
}

} // namespace

result<std::vector<host::study_point>> points_of(const study_setup& how) {
  std::vector<host::variation> all;
  for (const auto& file : how.vary_with) {
    auto read = host::read_variation(file);
    if (!read)
      return fail(std::move(read).error());
    all.push_back(*std::move(read));
  }
  for (const auto& text : how.vary) {
    auto parsed = host::parse_variation(text);
    if (!parsed)
      return fail(std::move(parsed).error());
    all.push_back(*std::move(parsed));
  }
  std::set<std::string_view> names;
  for (const auto& one : all)
    if (!names.insert(one.name).second)
      return fail(errc::usage,
                  "`" + protocol::shorten(one.name)
                    + "` is varied twice: give all of its values at once",
                  "vary");
  if (how.sample.empty())
    return host::grid_of(all);
  const auto count = read_sample(how.sample);
  if (!count)
    return fail(count.error());
  return host::latin_hypercube(all, *count, how.sample_seed);
}

host::study_base base_of(const seeded_options& seeded) {
  host::scenario_input last;
  // They have been parsed before.
  static_cast<void>(place_stand_ins(seeded.stand_ins, last));
  return {.scenario = seeded.scenario, .last = std::move(last.overrides)};
}

result<std::optional<std::string>>
activate_all(const seeded_options& seeded, const host::seed_range& seeds,
             const std::vector<host::study_point>& points,
             const measure_arguments& judged, const std::atomic<bool>& stop,
             const std::function<void(std::size_t done)>& on_progress) {
  auto text = std::string{CONVENE_VERSION} + '\n'
              + std::to_string(protocol::rules) + '\n'
              + std::to_string(seeds.first) + ' ' + std::to_string(seeds.last)
              + '\n';
  if (judged.keep == "all") // of finished points nothing more would be kept
    text += "keep all\n";
  for (const auto& word : command_words(judged))
    text += word + '\n';
  for (const auto& file : judged.properties) {
    const auto read = host::read_file(file, host::property_file_bytes_max);
    if (!read)
      return fail(read.error());
    text += host::hex_digest_of(*read) + '\n';
  }
  for (const auto& path : judged.programs) {
    const auto found = host::find_property_program(path);
    if (!found)
      return fail(found.error());
    const auto read = host::read_file(found->program,
                                      property_program_bytes_max);
    if (!read)
      return fail(read.error());
    text += host::hex_digest_of(*read) + '\n';
  }
  const auto base = base_of(seeded);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (stop)
      return std::nullopt;
    const auto fits = host::check_point(base, points[i], i + 1, seeds.first);
    if (!fits)
      return fail(as_given(fits.error(), seeded.stand_ins));
    const auto resolved = session::encode_text(fits->spec);
    if (!resolved)
      return fail(resolved.error());
    text += host::hex_digest_of(resolved->view()) + ' '
            + host::name_of(points[i]) + '\n';
    on_progress(i + 1);
  }
  return host::hex_digest_of(text);
}

} // namespace convene::cli
