#include <catch2/catch.hpp>
#include <convene/session/workspace/version_tree.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

using namespace convene::session;

namespace {

/// What a tree should show: revisions by id.
using expected = std::map<std::string, std::uint64_t>;

resource_version version(const std::string& id, std::uint64_t revision) {
  return std::make_shared<const resource>(resource{
    .key = std::make_shared<const resource_key>(resource_key{"file", id}),
    .revision = revision});
}

/// A tree and a map that get the same.
struct twins {
  explicit twins(std::size_t hashes) : different(hashes) {}

  void put(const std::string& id) {
    plain[id] = ++revision;
    tree.put({.standing = version(id, revision), .hash = hash_of(id)});
  }

  /// So few different ones that most names share theirs with others.
  [[nodiscard]] std::size_t hash_of(const std::string& id) const {
    const auto hash = resource_hash{}(resource_name{"file", id});
    return different == 0 ? hash : hash % different << 50;
  }

  [[nodiscard]] bool shows(const version_tree& what, const expected& as) const {
    std::size_t seen = 0;
    what.each_since(0, [&](const version_tree::entry&) { ++seen; });
    if (seen != as.size())
      return false;
    for (const auto& [id, at] : as) {
      const auto* found = what.find({"file", id}, hash_of(id));
      if (found == nullptr || found->standing->revision != at)
        return false;
    }
    return true;
  }

  std::size_t different; ///< hashes, 0: any
  std::uint64_t revision = 0;
  version_tree tree;
  expected plain;
};

std::string name(std::size_t n) {
  return "part-" + std::to_string(n);
}

} // namespace

TEST_CASE("a tree shows what stands, and each copy what stood") {
  const auto hashes = GENERATE(std::size_t{0}, std::size_t{1}, std::size_t{7});
  const auto seed = std::random_device{}();
  CAPTURE(hashes, seed);
  std::minstd_rand random{seed};
  twins both{hashes};
  std::deque<std::pair<version_tree, expected>> kept;
  for (int n = 0; n < 2000; ++n) {
    both.put(name(random() % 150));
    if (random() % 4 == 0)
      kept.emplace_back(both.tree, both.plain);
    if (!kept.empty() && random() % 4 == 0) {
      const auto at = static_cast<std::ptrdiff_t>(random() % kept.size());
      REQUIRE(both.shows(kept[static_cast<std::size_t>(at)].first,
                         kept[static_cast<std::size_t>(at)].second));
      kept.erase(kept.begin() + at);
    }
  }
  CHECK(both.shows(both.tree, both.plain));
  both.tree = {};
  for (const auto& [tree, plain] : kept)
    CHECK(both.shows(tree, plain));
}

TEST_CASE("what is not newer is passed by") {
  twins both{GENERATE(std::size_t{0}, std::size_t{5})};
  for (std::size_t n = 0; n < 300; ++n)
    both.put(name(n));
  const auto since = both.revision;
  CHECK(both.tree.find({"file", "other"}, both.hash_of("other")) == nullptr);
  for (std::size_t n = 0; n < 300; n += 10)
    both.put(name(n));
  std::size_t newer = 0;
  both.tree.each_since(since, [&](const version_tree::entry& one) {
    CHECK(one.standing->revision > since);
    ++newer;
  });
  CHECK(newer == 30);
}

TEST_CASE("writes on a copy that others have gone on from change only it") {
  twins both{0};
  for (std::size_t n = 0; n < 50; ++n)
    both.put(name(n));
  auto copy = both.tree;
  both.put(name(3));
  const auto standing = both.plain;
  copy.put({.standing = version(name(7), 1000), .hash = both.hash_of(name(7))});
  CHECK(both.shows(both.tree, standing));
  CHECK(copy.find({"file", name(7)})->standing->revision == 1000);
  CHECK(copy.find({"file", name(3)})->standing->revision == 4);
}

TEST_CASE("a copy kept through a million writes goes at once") {
  twins both{0};
  both.put("a");
  const auto kept = both.tree;
  for (int n = 0; n < 1'000'000; ++n)
    both.put("a");
  CHECK(kept.find({"file", "a"})->standing->revision == 1);
}

TEST_CASE("a copy that is kept does not keep all that is written over") {
  const bool is_large = GENERATE(false, true);
  const std::size_t bytes = is_large ? std::size_t{1} << 20 : 1;
  const std::size_t most = is_large ? 40 : 1'100;
  version_tree tree;
  std::vector<std::weak_ptr<const resource>> all;
  const auto put = [&](std::uint64_t revision) {
    auto what = *version("a", revision);
    what.bytes = bytes;
    auto standing = std::make_shared<const resource>(std::move(what));
    all.push_back(standing);
    tree.put({.standing = std::move(standing),
              .hash = resource_hash{}(resource_name{"file", "a"})});
  };
  put(1);
  const auto kept = tree;
  for (std::uint64_t n = 2; n < 5'000; ++n)
    put(n);
  const auto alive = std::ranges::count_if(all, [](const auto& one) {
    return !one.expired();
  });
  CHECK(static_cast<std::size_t>(alive) <= most);
  CHECK(kept.find({"file", "a"})->standing->revision == 1);
  CHECK(tree.find({"file", "a"})->standing->revision == 4'999);
}

TEST_CASE("copies are read and dropped on other threads while it is written") {
  twins both{0};
  for (std::size_t n = 0; n < 64; ++n)
    both.put(name(n));
  std::vector<std::thread> readers;
  std::vector<char> good(8, 0);
  for (std::size_t t = 0; t < good.size(); ++t) {
    readers.emplace_back([&, t, mine = both.tree, as = both.plain]() mutable {
      bool same = true;
      for (int round = 0; round < 200; ++round) {
        const auto copy = mine;
        same = same && both.shows(copy, as);
      }
      mine = {};
      good[t] = same ? 1 : 0;
    });
    for (std::size_t n = 0; n < 500; ++n)
      both.put(name(n % 64));
  }
  for (auto& each : readers)
    each.join();
  CHECK(good == std::vector<char>(8, 1));
}
