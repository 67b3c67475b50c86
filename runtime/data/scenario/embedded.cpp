#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/data/scenario/commands.hpp>
#include <convene/runtime/data/scenario/embedded.hpp>
#include <convene/runtime/data/scenario/includes.hpp>
#include <convene/runtime/data/scenario/named_files.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>
#include <convene/runtime/data/scenario/sources.hpp>

#include <system_error>
#include <utility>

namespace convene::host {

using protocol::fail;
using protocol::result;

result<boost::json::object> embedded_scenario(const std::filesystem::path& path,
                                              const permissions& allow) {
  protocol::uuid_source ids{0}; // its ids are not used
  if (const auto spec = load_scenario(path, {.ids = ids, .allow = &allow});
      !spec)
    return fail(spec.error());
  auto sources = read_sources(path, false, nullptr);
  if (!sources)
    return fail(std::move(sources).error());
  sources->allow = &allow;
  if (auto done = include_files(*sources).and_then(
        [&sources] { return embed_documents(*sources); });
      !done)
    return fail(std::move(done).error());
  std::error_code failed;
  const auto whole = std::filesystem::absolute(path, failed);
  place_commands(sources->scenario, std::filesystem::is_directory(whole, failed)
                                      ? whole
                                      : whole.parent_path());
  // Sessions are started from this form.
  if (const auto usable = load_scenario(boost::json::object{sources->scenario},
                                        {.ids = ids});
      !usable)
    return fail(usable.error());
  return std::move(sources->scenario);
}

} // namespace convene::host
