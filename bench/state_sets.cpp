// Values set in a state store's SQLite file, in transactions, against a loop of
// SQLite's own calls that does the same. docs/performance.md has the figures.

#include "baseline/figures.hpp"

#include <convene/runtime/data/state_store/awaited.hpp>
#include <convene/runtime/data/state_store/keys.hpp>
#include <convene/runtime/data/state_store/memory_store.hpp>
#include <convene/runtime/data/state_store/sqlite_store.hpp>
#include <sqlite3.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <semaphore>
#include <string>
#include <vector>

namespace {

using namespace convene;
using namespace convene::host;
using convene::bench::median;
using convene::bench::ratio;
using convene::bench::seconds;

constexpr std::size_t batch = 1'000;
/// Transactions that wait for the store.
constexpr std::ptrdiff_t waiting_max = 4;

/// Steps as a run would store them, by ids in no order.
std::vector<state_entry> make_entries(std::size_t count) {
  std::mt19937 random{7}; // NOLINT: the same for every run
  std::vector<state_entry> all(count);
  for (auto& each : all) {
    char id[37];
    std::snprintf(id, sizeof id, "%08x-%04x-4%03x-8%03x-%08x%04x",
                  unsigned(random()), unsigned(random() & 0xffff),
                  unsigned(random() & 0xfff), unsigned(random() & 0xfff),
                  unsigned(random()), unsigned(random() & 0xffff));
    each.key = state_key(state_area::steps, id);
    each.value = std::string{"{\n  \"step_id\": \""} + id
                 + "\",\n  \"description\": \"Read what the others have "
                   "written, and say what is missing\",\n  \"status\": "
                   "\"pending\",\n  \"dependencies\": [],\n  \"agent_role\": "
                   "\"reviewer\",\n  \"order_index\": 17\n}\n";
  }
  return all;
}

void must(bool done, const char* what) {
  if (done)
    return;
  std::fprintf(stderr, "%s failed\n", what);
  std::exit(1);
}

void store_all(state_store& into, const std::vector<state_entry>& all) {
  std::counting_semaphore<waiting_max> free{waiting_max};
  for (std::size_t i = 0; i < all.size();) {
    state_transaction next;
    for (; i < all.size() && next.changes.size() < batch; ++i)
      next.set(all[i].key, all[i].value);
    free.acquire();
    into.commit(std::move(next), [&free](const protocol::result<void>& done) {
      must(done.has_value(), "a transaction");
      free.release();
    });
  }
  for (std::ptrdiff_t i = 0; i < waiting_max; ++i)
    free.acquire();
}

/// With the journal, table and statement of the store.
class bare_sqlite {
public:
  explicit bare_sqlite(const std::filesystem::path& file) {
    must(sqlite3_open(file.c_str(), &in_) == SQLITE_OK, "sqlite3_open");
    run("PRAGMA locking_mode = EXCLUSIVE");
    run("PRAGMA synchronous = FULL");
    run("PRAGMA journal_mode = WAL");
    run("CREATE TABLE entry(key TEXT PRIMARY KEY, value TEXT NOT NULL)");
    must(sqlite3_prepare_v2(in_,
                            "INSERT INTO entry(key, value) VALUES(?1, ?2) ON "
                            "CONFLICT(key) DO UPDATE SET value = "
                            "excluded.value",
                            -1, &set_, nullptr)
           == SQLITE_OK,
         "sqlite3_prepare_v2");
  }
  ~bare_sqlite() {
    sqlite3_finalize(set_);
    sqlite3_close(in_);
  }
  bare_sqlite(const bare_sqlite&) = delete;
  bare_sqlite& operator=(const bare_sqlite&) = delete;

  void store_all(const std::vector<state_entry>& all) {
    for (std::size_t i = 0; i < all.size();) {
      run("BEGIN");
      for (std::size_t n = 0; i < all.size() && n < batch; ++i, ++n) {
        bind(1, all[i].key);
        bind(2, all[i].value);
        must(sqlite3_step(set_) == SQLITE_DONE, "sqlite3_step");
        sqlite3_reset(set_);
      }
      run("COMMIT");
    }
  }

private:
  void run(const char* sql) {
    must(sqlite3_exec(in_, sql, nullptr, nullptr, nullptr) == SQLITE_OK, sql);
  }

  void bind(int place, const std::string& text) {
    sqlite3_bind_text64(set_, place, text.data(), text.size(), SQLITE_STATIC,
                        SQLITE_UTF8);
  }

  sqlite3* in_ = nullptr;
  sqlite3_stmt* set_ = nullptr;
};

std::filesystem::path fresh(const std::filesystem::path& folder) {
  for (const auto* ending : {"", "-wal", "-shm"})
    std::filesystem::remove(folder
                            / ("convene-bench.db" + std::string{ending}));
  return folder / "convene-bench.db";
}

} // namespace

int main(int argc, char** argv) {
  const auto sets = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200'000ULL;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 7;
  const std::filesystem::path folder
    = argc > 3 ? std::filesystem::path{argv[3]}
               : std::filesystem::temp_directory_path();
  if (sets == 0 || rounds < 1 || argc > 4) {
    std::fputs("usage: state_sets [sets, default 200000 [rounds, default 7 "
               "[folder]]]\n",
               stderr);
    return 2;
  }
  const auto all = make_entries(sets);
  const auto rate = [&](double took) {
    return static_cast<double>(sets) / took;
  };
  std::vector<double> bare, stored, changed, changed_bare, memory;
  for (int round = 0; round < rounds; ++round) {
    {
      bare_sqlite plain{fresh(folder)};
      bare.push_back(rate(seconds([&] { plain.store_all(all); })));
      changed_bare.push_back(rate(seconds([&] { plain.store_all(all); })));
    }
    {
      const auto store = open_sqlite_store(fresh(folder));
      must(store.has_value(), "opening the store");
      stored.push_back(rate(seconds([&] { store_all(**store, all); })));
      changed.push_back(rate(seconds([&] { store_all(**store, all); })));
    }
    const auto store = make_memory_store();
    memory.push_back(rate(seconds([&] { store_all(*store, all); })));
  }
  fresh(folder);
  std::printf("%llu values of %zu bytes, %zu in a transaction\n", sets,
              all.front().value.size(), batch);
  std::printf("new keys: bare SQLite %.0f/s, the store %.0f/s, %.2f of it\n",
              median(bare), median(stored), ratio(stored, bare));
  std::printf("keys that are there: bare SQLite %.0f/s, the store %.0f/s, "
              "%.2f of it\n",
              median(changed_bare), median(changed),
              ratio(changed, changed_bare));
  std::printf("the store in memory %.0f/s, %.2f of bare SQLite\n",
              median(memory), ratio(memory, bare));
}
