// Fenced appends against COPY of the same rows in the same batches, without a
// check, on one connection each; the passes alternate.
//
//     cluster_appends URL [ROWS [PASSES]]
//
// URL is that of a database whose schemas convene_cluster and convene_bench may
// be made and removed.

#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/data/cluster/cluster_member.hpp>
#include <convene/runtime/data/cluster/fenced_log.hpp>
#include <convene/runtime/data/cluster/session_owners.hpp>
#include <libpq-fe.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace convene;
using clock_type = std::chrono::steady_clock;

constexpr std::size_t line_bytes = 380;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(3);
}

template <class T>
T needed(protocol::result<T> what) {
  if (!what)
    give_up(to_string(what.error()));
  if constexpr (!std::is_void_v<T>)
    return *std::move(what);
}

double per_second(std::size_t rows, clock_type::time_point since) {
  return static_cast<double>(rows)
         / std::chrono::duration<double>(clock_type::now() - since).count();
}

/// Rows a second by COPY.
double copied(PGconn* to, std::size_t rows, std::size_t batch,
              const std::string& line) {
  const auto run = [to](const char* sql, ExecStatusType expected) {
    const std::unique_ptr<PGresult, decltype(&PQclear)> done{PQexec(to, sql),
                                                             &PQclear};
    if (PQresultStatus(done.get()) != expected)
      give_up(PQerrorMessage(to));
  };
  run("TRUNCATE convene_bench.events", PGRES_COMMAND_OK);
  const auto since = clock_type::now();
  std::string text;
  for (std::size_t done = 0; done < rows; done += batch) {
    run("COPY convene_bench.events FROM stdin", PGRES_COPY_IN);
    text.clear();
    for (std::size_t i = 1; i <= batch; ++i)
      text += "00000000-0000-4000-8000-000000000001\t"
              + std::to_string(done + i) + "\t1\t" + line + '\n';
    if (PQputCopyData(to, text.data(), static_cast<int>(text.size())) != 1
        || PQputCopyEnd(to, nullptr) != 1)
      give_up(PQerrorMessage(to));
    while (auto* const result = PQgetResult(to)) {
      if (PQresultStatus(result) != PGRES_COMMAND_OK)
        give_up(PQerrorMessage(to));
      PQclear(result);
    }
  }
  return per_second(rows, since);
}

/// Rows a second by fenced appends to one session.
double appended(host::fenced_log& to, const std::string& session,
                std::size_t rows, std::size_t batch, const std::string& line) {
  host::fenced_events group{session, 1, 1, {}};
  group.lines.assign(batch, line);
  const auto since = clock_type::now();
  for (std::size_t done = 0; done < rows; done += batch) {
    const auto ended
      = needed(to.append({&group, 1}, since + std::chrono::minutes{10}));
    if (ended.front() != host::append_end::kept)
      give_up("the session has another owner");
    group.place += static_cast<std::int64_t>(batch);
  }
  return per_second(rows, since);
}

double median(std::vector<double> of) {
  std::ranges::sort(of);
  return of[of.size() / 2];
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2)
    give_up("usage: cluster_appends URL [ROWS [PASSES]]");
  const std::string url = argv[1];
  const std::size_t rows_most = argc > 2 ? std::stoul(argv[2]) : 100'000;
  const std::size_t passes = argc > 3 ? std::stoul(argv[3]) : 3;
  const std::unique_ptr<PGconn, decltype(&PQfinish)> copies{
    PQconnectdb(url.c_str()), &PQfinish};
  PQclear(
    PQexec(copies.get(), "DROP SCHEMA IF EXISTS convene_cluster CASCADE"));
  PQclear(PQexec(copies.get(), "DROP SCHEMA IF EXISTS convene_bench CASCADE"));
  auto node = needed(host::cluster_member::join(
    {.url = url},
    {.name = "bench", .version = "1", .address = {}, .labels = {}},
    std::chrono::hours{1}));
  PQclear(
    PQexec(copies.get(),
           "CREATE SCHEMA convene_bench; CREATE TABLE convene_bench.events "
           "(LIKE convene_cluster.events INCLUDING ALL)"));
  auto in = needed(host::postgres_connection::open({.url = url}));
  host::fenced_log log{
    needed(host::cluster_database::open({.url = url}, false))};
  const std::string line(line_bytes, 'x');
  auto ids = protocol::uuid_source::from_entropy();
  for (const std::size_t batch : {1U, 100U, 1'000U}) {
    const auto rows = batch == 1 ? rows_most / 50
                                 : (rows_most + batch - 1) / batch * batch;
    std::vector<double> copy;
    std::vector<double> append;
    for (std::size_t i = 0; i < passes; ++i) {
      copy.push_back(copied(copies.get(), rows, batch, line));
      const auto session = to_string(ids.next());
      needed(host::claim_sessions(in, node.boot_id(), {session}));
      append.push_back(appended(log, session, rows, batch, line));
    }
    std::printf("batch %4zu: COPY %9.0f rows/s, fenced append %9.0f rows/s, "
                "ratio %.2f\n",
                batch, median(copy), median(append),
                median(append) / median(copy));
  }
  return 0;
}
