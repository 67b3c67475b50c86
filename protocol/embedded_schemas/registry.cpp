#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/embedded_schemas/compiled_ahead.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json_schema/program_image.hpp>
#include <convene/schemas/catalog.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace convene::protocol {
namespace {

/// The image of this schema; empty: there is none.
std::string_view image_of(std::string_view reference) {
  const auto all = compiled_ahead();
  const auto found = std::ranges::lower_bound(all, reference, {},
                                              &schema_image::reference);
  return found == all.end() || found->reference != reference
           ? std::string_view{}
           : found->bytes;
}

/// The schemas asked for so far.
class registry {
public:
  /// The schema that this name got last time.
  std::optional<compiled_schema> known(std::string_view name) {
    const std::scoped_lock guard{mutex_};
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::nullopt
                                   : std::optional{found->second};
  }

  /// `name` is the fragment's and the file's, one of several.
  result<compiled_schema> get(std::string_view name,
                              const schemas::embedded_file& file,
                              std::string_view fragment) {
    const std::scoped_lock guard{mutex_};
    auto made = compiled(file, fragment);
    if (made)
      by_name_.emplace(name, *made);
    return made;
  }

private:
  result<compiled_schema> compiled(const schemas::embedded_file& file,
                                   std::string_view fragment) {
    auto id = std::string{file.id} + std::string{fragment};
    if (const auto known = compiled_.find(id); known != compiled_.end())
      return known->second;
    const auto image = image_of(id);
    auto made = image.empty() ? compiled_now(id) : from(image);
    if (made)
      compiled_.emplace(std::move(id), *made);
    return made;
  }

  static result<compiled_schema> from(std::string_view image) {
    return compiled_schema{std::make_shared<const validation::program>(
      validation::from_image(image))};
  }

  /// A part of a schema, which the build has not compiled: of all their texts.
  result<compiled_schema> compiled_now(std::string_view reference) {
    if (!texts_) {
      schema_set all;
      for (const auto& file : schemas::all())
        if (!file.id.empty())
          if (auto added = all.add_text({}, file.text); !added)
            return fail(std::move(added).error());
      texts_ = std::move(all);
    }
    return compile(*texts_, reference);
  }

  std::mutex mutex_;
  std::optional<schema_set> texts_;
  std::map<std::string, compiled_schema> compiled_; ///< by reference
  std::map<std::string, compiled_schema, std::less<>> by_name_;
};

} // namespace

result<compiled_schema> embedded_schema(std::string_view name) {
  // Never destroyed: static objects may use it while the program ends.
  static auto& all = *new registry;
  if (auto known = all.known(name))
    return *std::move(known);
  const auto hash = std::min(name.find('#'), name.size());
  const auto file_name = name.substr(0, hash);
  const auto* file = schemas::find(file_name);
  if (file == nullptr)
    return fail({.code = errc::usage,
                 .message = "there is no schema \"" + shorten(file_name) + '"'
                            + suggest_embedded(file_name),
                 .rule = "unknown_schema"});
  if (file->id.empty())
    return fail(
      {.code = errc::usage,
       .message = '"' + shorten(file_name) + "\" is data, not a schema",
       .rule = "unknown_schema"});
  return all.get(name, *file, name.substr(hash));
}

std::string suggest_embedded(std::string_view written) {
  constexpr std::size_t names_max = 3;
  std::vector<std::string_view> known;
  for (const auto& file : schemas::all()) {
    known.push_back(schemas::name(file));
    if (schemas::short_name(file) != schemas::name(file))
      known.push_back(schemas::short_name(file));
  }
  std::string text;
  for (std::size_t count = 0; count < names_max; ++count) {
    const auto near = find_nearest(written, known);
    if (near.empty())
      break;
    text += (text.empty() ? " (did you mean \"" : " or \"") + std::string{near}
            + '"';
    std::erase(known, near);
  }
  return text.empty() ? text : text + "?)";
}

} // namespace convene::protocol
