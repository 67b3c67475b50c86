#include <convene/cli/sessions/log_upkeep.hpp>
#include <convene/cli/sessions/session_setup.hpp>

#include <utility>

namespace convene::cli {

using protocol::fail;

protocol::result<session_order> make_order(host::run_settings settings,
                                           const outside_arguments& outside,
                                           const common_options& common) {
  auto screen = make_screen(outside, common, settings.instances);
  if (!screen)
    return fail(std::move(screen).error());
  session_order order{.settings = std::move(settings),
                      .screen = *std::move(screen),
                      .show_progress = !common.quiet};
  order.runtime.threads = common.threads;
  order.runtime.validation = order.settings.validation;
  order.runtime.revalidate = order.settings.revalidate;
  order.runtime.durability = order.settings.durability;
  if (order.settings.virtual_time)
    order.runtime.seed = 0;
  if (auto fits = apply(outside, common, order.screen, order.runtime); !fits)
    return fail(std::move(fits).error());
  return order;
}

protocol::result<void>
place_upkeep(session_order& order, const host::log_upkeep& upkeep,
             bool in_segments, const std::string& store) {
  const auto documents = order.settings.documents;
  return apply(upkeep, in_segments, order.runtime)
    .and_then([&] { return check_kept(documents, order.runtime); })
    .and_then([&] { return check_store(store, documents, upkeep); });
}

void guard_outputs(session_order& order, const std::string& store,
                   const learning_arguments& learning) {
  auto& guarded = order.runtime.guarded;
  if (auto file = session_store::file_of(store); !file.empty())
    guarded.emplace_back(std::move(file));
  if (!learning.file.empty())
    guarded.emplace_back(learning.file);
}

protocol::result<void> open_outputs(session_order& order,
                                    const std::string& store,
                                    const learning_arguments& learning) {
  auto opened = session_store::open(store);
  if (!opened)
    return fail(std::move(opened).error());
  order.store = *std::move(opened);
  auto samples = learning_output::open(learning, order.store);
  if (!samples)
    return fail(std::move(samples).error());
  order.learning = *std::move(samples);
  return {};
}

} // namespace convene::cli
