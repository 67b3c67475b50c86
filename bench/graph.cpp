// The project graph against plain hash maps that are told the same: updates,
// and a snapshot against a copy. docs/performance.md has the figures.

#include <convene/protocol/graph/graph_store.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace {

using namespace convene::protocol;
using kind = graph_node_kind;
using enum graph_edge_kind;

constexpr std::size_t steps_per_plan = 99;

struct plain_hash {
  std::size_t operator()(const graph_key& key) const {
    return std::hash<std::string>{}(key.id)
           ^ static_cast<std::size_t>(key.kind);
  }
};

/// What anybody would write: a hash map of nodes, each with its edges.
struct plain_node {
  json::object members;
  std::vector<std::pair<graph_edge_kind, graph_key>> out;
  std::vector<std::pair<graph_edge_kind, graph_key>> in;
};
using plain_graph = std::unordered_map<graph_key, plain_node, plain_hash>;

/// The project that both are told of: Plans of a Context, with steps that wait
/// for the one before, in the order of a run.
struct project {
  graph_key context{kind::context, "00000000-0000-4000-8000-000000000000"};
  std::vector<graph_key> plans;
  std::vector<graph_key> steps;
  std::vector<std::uint32_t> order; ///< of updates, over the steps
};

project make_project(std::size_t plans) {
  std::mt19937 random{7}; // NOLINT: the same for every run
  const auto uuid = [&random] {
    char text[37];
    std::snprintf(text, sizeof text, "%08x-%04x-4%03x-8%03x-%08x%04x",
                  unsigned(random()), unsigned(random() & 0xffff),
                  unsigned(random() & 0xfff), unsigned(random() & 0xfff),
                  unsigned(random()), unsigned(random() & 0xffff));
    return std::string{text};
  };
  project made;
  for (std::size_t i = 0; i < plans; ++i) {
    made.plans.push_back({kind::plan, uuid()});
    for (std::size_t k = 0; k < steps_per_plan; ++k)
      made.steps.push_back({kind::step, part_id(made.plans.back().id, uuid())});
  }
  for (std::uint32_t i = 0; i < made.steps.size(); ++i)
    made.order.push_back(i);
  std::shuffle(made.order.begin(), made.order.end(), random);
  return made;
}

json::object step_members() {
  return {{"status", "pending"}, {"description", "write a part of the text"}};
}

template <class Do>
double seconds(Do&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
    .count();
}

void must(const result<void>& done) {
  if (!done) {
    std::printf("%s\n", to_string(done.error()).c_str());
    std::exit(1);
  }
}

void build(project_graph& to, const project& from) {
  must(to.add(from.context, {{"status", "active"}}));
  for (std::size_t i = 0; i < from.plans.size(); ++i) {
    const auto& plan = from.plans[i];
    must(to.add(plan, {{"status", "in_progress"}}));
    must(to.connect({has_context, plan, from.context}));
    for (std::size_t k = 0; k < steps_per_plan; ++k) {
      const auto* const step = &from.steps[i * steps_per_plan + k];
      must(to.add(*step, step_members()));
      must(to.connect({contains, plan, *step}));
      if (k > 0)
        must(to.connect({depends_on, *step, step[-1]}));
    }
  }
}

void build(plain_graph& to, const project& from) {
  const auto connect = [&](graph_edge_kind how, const graph_key& a,
                           const graph_key& b) {
    to.find(a)->second.out.emplace_back(how, b);
    to.find(b)->second.in.emplace_back(how, a);
  };
  to.try_emplace(from.context, plain_node{{{"status", "active"}}, {}, {}});
  for (std::size_t i = 0; i < from.plans.size(); ++i) {
    const auto& plan = from.plans[i];
    to.try_emplace(plan, plain_node{{{"status", "in_progress"}}, {}, {}});
    connect(has_context, plan, from.context);
    for (std::size_t k = 0; k < steps_per_plan; ++k) {
      const auto* const step = &from.steps[i * steps_per_plan + k];
      to.try_emplace(*step, plain_node{step_members(), {}, {}});
      connect(contains, plan, *step);
      if (k > 0)
        connect(depends_on, *step, step[-1]);
    }
  }
}

void move_steps(project_graph& in, const project& of) {
  for (const auto* status : {"in_progress", "completed"}) {
    const json::object now{{"status", status}};
    for (const auto i : of.order)
      must(in.update(of.steps[i], now));
  }
}

void move_steps(plain_graph& in, const project& of) {
  for (const auto* status : {"in_progress", "completed"}) {
    const json::object now{{"status", status}};
    for (const auto i : of.order)
      for (const auto& [name, value] : now)
        in.find(of.steps[i])->second.members.insert_or_assign(name, value);
  }
}

/// Each update a commit, which a subscriber hears of; half of the moves.
double commit_moves(project_graph start, const project& of) {
  graph_store store{std::move(start), 0};
  std::size_t heard = 0;
  store.subscribe([&heard](const graph_update&) { ++heard; });
  const json::object now{{"status", "in_progress"}};
  const auto taken = seconds([&] {
    for (const auto i : of.order) {
      auto change = store.begin();
      must(change.graph().update(of.steps[i], now));
      must(store.commit(std::move(change), 0).map([](const auto&) {}));
    }
  });
  if (heard != of.order.size()) {
    std::printf("%zu of %zu updates came\n", heard, of.order.size());
    std::exit(1);
  }
  return taken;
}

double median(std::vector<double> all) {
  std::ranges::sort(all);
  return all[all.size() / 2];
}

void compare_updates(std::size_t plans, int rounds) {
  const auto what = make_project(plans);
  std::vector<double> built;
  std::vector<double> moved;
  std::vector<double> committed;
  for (int round = 0; round < rounds; ++round) {
    plain_graph plain;
    project_graph graph;
    const auto plain_build = seconds([&] { build(plain, what); });
    const auto graph_build = seconds([&] { build(graph, what); });
    const auto commits = commit_moves(graph, what);
    const auto plain_move = seconds([&] { move_steps(plain, what); });
    const auto graph_move = seconds([&] { move_steps(graph, what); });
    built.push_back(plain_build / graph_build);
    moved.push_back(plain_move / graph_move);
    committed.push_back(plain_move / 2 / commits);
  }
  std::printf("%zu nodes: build %.2f, update %.2f, commit %.3f of a hash map's "
              "speed\n",
              what.steps.size() + what.plans.size() + 1, median(built),
              median(moved), median(committed));
}

void compare_snapshots(std::size_t plans, int rounds) {
  const auto what = make_project(plans);
  project_graph graph;
  plain_graph plain;
  build(graph, what);
  build(plain, what);
  std::vector<double> at_once;
  std::vector<double> with_changes;
  for (int round = 0; round < rounds; ++round) {
    plain_graph copy;
    const auto copied = seconds([&] { copy = plain; });
    project_graph kept;
    const auto taken = seconds([&] { kept = graph; });
    const json::object now{{"round", round}};
    const auto changed = seconds([&] {
      for (std::size_t i = 0; i < 1'000; ++i)
        must(graph.update(what.steps[what.order[i]], now));
    });
    at_once.push_back(copied / taken);
    with_changes.push_back(copied / (taken + changed));
    if (kept == graph) {
      std::printf("the snapshot has changed with the graph\n");
      std::exit(1);
    }
  }
  std::printf("%zu nodes: a snapshot is %.0f times faster than a copy, %.0f "
              "times with the first 1000 changes after it\n",
              graph.nodes().size(), median(at_once), median(with_changes));
}

} // namespace

int main(int argc, char** argv) {
  const auto plans
    = argc > 1 ? static_cast<std::size_t>(std::strtoull(argv[1], nullptr, 10))
               : 1'000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  compare_updates(plans, rounds);
  compare_snapshots(9'999, rounds);
}
