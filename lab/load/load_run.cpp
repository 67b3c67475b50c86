#include <convene/lab/load/load_run.hpp>
#include <convene/lab/load/process_use.hpp>
#include <convene/lab/load/server_target.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

std::unique_ptr<pacer> pacer_of(const load_plan& what) {
  if (!what.starts.empty())
    return make_recorded_pacer(what.starts);
  auto stages = what.stages;
  if (what.warm_up.count() > 0)
    stages.insert(stages.begin(), {what.warm_up, stages.front().level});
  if (stages.front().level.unit == load_unit::sessions)
    return make_closed_pacer(std::move(stages));
  double turns = 0;
  for (const auto kind : what.cycle)
    turns += what.kinds[kind].turns / static_cast<double>(what.cycle.size());
  return make_open_pacer(std::move(stages), turns);
}

/// Where the sessions run, and how that is closed.
struct opened_target {
  std::unique_ptr<load_target> target;
  std::function<result<void>()> close;
};

result<opened_target> open_target(const load_plan& what,
                                  load_recorder& recorder) {
  auto make = what.make;
  if (!make)
    make = [&what](const load_order& order) {
      return made_session{
        .scenario = another(what.kinds[order.kind].scenario, order.number)};
    };
  if (!what.servers.empty()) {
    std::vector<client> servers;
    for (auto how : what.servers) {
      if (what.servers.size() > 1)
        how.reconnect_ms = load_server_away_ms;
      auto opened = client::open(std::move(how));
      if (!opened)
        return fail(std::move(opened).error());
      servers.push_back(*std::move(opened));
    }
    return opened_target{
      std::make_unique<server_target>(std::move(servers), std::move(make),
                                      recorder, what.connections),
      [] { return result<void>{}; }};
  }
  auto opened = convene::runtime::open(what.runtime);
  if (!opened)
    return fail(std::move(opened).error());
  auto target = std::make_unique<runtime_target>(*std::move(opened),
                                                 std::move(make), recorder,
                                                 !what.runtime.log.empty());
  auto* const closing = target.get();
  return opened_target{std::move(target),
                       [closing] { return closing->close(); }};
}

/// What is looked at each second.
class observer {
public:
  observer(const load_plan& what, const load_recorder& recorder)
    : what_{what}, recorder_{recorder}, series_{what.warm_up},
      is_warming_up_{what.warm_up.count() > 0} {
    memory_.before_bytes = resident_bytes();
  }

  std::string look(load_time now, std::size_t open) {
    if (open >= memory_.open)
      memory_ = {memory_.before_bytes, resident_bytes(), open};
    if (is_warming_up_) {
      cpu_ = process_cpu_seconds();
      generator_cpu_ = thread_cpu_seconds();
      is_warming_up_ = now < what_.warm_up;
    }
    cpu_end_ = process_cpu_seconds();
    generator_cpu_end_ = thread_cpu_seconds();
    auto all = recorder_.total();
    if (what_.on_progress)
      what_.on_progress(now, *all);
    auto wrong = first_failing(*all, now);
    series_.add(now, open, std::move(all));
    return wrong;
  }

  void finish(load_outcome& into) const {
    into.memory = memory_;
    into.cpu_seconds = cpu_end_ - cpu_;
    into.generator_cpu_seconds = generator_cpu_end_ - generator_cpu_;
    into.seconds = series_.seconds();
    into.csv = series_.csv();
  }

private:
  /// Why the load is to be aborted; empty: it is not.
  [[nodiscard]] std::string first_failing(const load_figures& all,
                                          load_time now) const {
    if (!what_.abort_on_fail
        || all.of(load_measure::session).count() < abort_after_sessions)
      return {};
    const auto rates = rates_of(all, recorder_, now - what_.warm_up);
    for (const auto& each : what_.assertions)
      if (const auto value = each.value_in(all, rates); !each.holds(value))
        return each.text() + " does not hold: " + each.shown(value);
    return {};
  }

  const load_plan& what_;
  const load_recorder& recorder_;
  load_series series_;
  bool is_warming_up_;
  load_memory memory_;
  double cpu_ = process_cpu_seconds();
  double generator_cpu_ = thread_cpu_seconds();
  double cpu_end_ = cpu_;
  double generator_cpu_end_ = generator_cpu_;
};

} // namespace

bool load_outcome::generator_was_late() const {
  if (course.left_some_out)
    return true;
  constexpr double share = 0.99;
  constexpr double bearable = 0.1;
  const auto lag = total->of(load_measure::lag).quantile(share);
  const auto session = total->of(load_measure::session).quantile(share);
  return lag && session
         && static_cast<double>(*lag)
              > bearable * static_cast<double>(*session);
}

result<load_outcome> run_load(const load_plan& what,
                              const std::atomic<bool>& stop) {
  auto ends = ends_of(what.stages);
  for (auto& end : ends)
    end += what.warm_up;
  load_recorder recorder{what.kinds.size(), ends.size(), what.warm_up,
                         ends.back()};
  auto opened = open_target(what, recorder);
  if (!opened)
    return fail(std::move(opened).error());
  observer seen{what, recorder};
  const auto pace = pacer_of(what);
  const load_schedule how{.stage_ends = std::move(ends),
                          .warm_up = what.warm_up,
                          .drain = what.drain,
                          .kind_of =
                            [&what](std::uint64_t number) {
                              return what.cycle[number % what.cycle.size()];
                            },
                          .open_max = what.open_max,
                          .ends_with_last = what.ends_with_last,
                          .on_second =
                            [&seen](load_time now, std::size_t open) {
                              return seen.look(now, open);
                            }};
  load_outcome made;
  made.course = generate(how, *pace, *opened->target, recorder, stop);
  seen.finish(made);
  if (auto closed = opened->close(); !closed)
    return fail(std::move(closed).error());
  made.total = recorder.total();
  for (std::size_t i = 0; i < what.kinds.size(); ++i)
    made.kinds.push_back(recorder.of_kind(i));
  for (std::size_t i = 0; i < what.stages.size(); ++i)
    made.stages.push_back(recorder.of_stage(i));
  made.rates = rates_of(*made.total, recorder, made.course.measured);
  made.session_errors = recorder.session_errors();
  made.turn_errors = recorder.turn_errors();
  made.turns_failed = recorder.turns_failed();
  made.writes_refused = recorder.writes_refused();
  made.unfinished = recorder.unfinished();
  return made;
}

} // namespace convene::host
