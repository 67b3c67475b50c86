#include <convene/cli/common/approval.hpp>
#include <convene/cli/common/scenario_for_seed.hpp>

#include <utility>

namespace convene::cli {

protocol::result<host::seeded_scenario>
scenario_for_seed(const scenario_file& from, std::uint64_t seed,
                  std::vector<host::source_note>* notes) {
  const host::permissions nothing;
  const auto now = runtime_options{}.virtual_start;
  auto ids = ids_for_seed(seed);
  host::seeded_scenario made;
  auto loaded = host::load_scenario(from.path, {.ids = ids,
                                                .now = now,
                                                .overrides = from.overrides,
                                                .seed = seed,
                                                .strict = from.strict,
                                                .allow = &nothing,
                                                .notes = notes,
                                                .aliases = &made.aliases});
  if (!loaded)
    return protocol::fail(std::move(loaded).error());
  made.spec = *std::move(loaded);
  approve_extensions(made.spec, ids, now);
  return made;
}

} // namespace convene::cli
