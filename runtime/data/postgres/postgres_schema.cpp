#include <convene/runtime/data/postgres/postgres_schema.hpp>

#include <string>

namespace convene::host {

using namespace protocol;

namespace {

/// "conv": of all programs that create or change tables.
constexpr auto one_at_a_time = "SELECT pg_advisory_xact_lock(1668247158)";

error other_version(const postgres_connection& in, const postgres_part& part,
                    std::int64_t found) {
  return {.code = errc::unsupported,
          .message = in.shown() + ": its tables of the part \"" + part.name
                     + "\" have version " + std::to_string(found)
                     + ", and this program uses version "
                     + std::to_string(part.version())
                     + "; use the same version of convene everywhere, or "
                       "another database",
          .rule = "store_version"};
}

/// 0: there are none. `query`: of the version, by the part's name.
result<std::int64_t> version_of(postgres_connection& in,
                                const postgres_part& part, const char* query) {
  return in.query(query, {part.name}).map([](const postgres_rows& rows) {
    return rows.empty() ? std::int64_t{0} : rows.number(0, 0);
  });
}

result<void> bring_up(postgres_connection& in, const postgres_part& part) {
  return in.in_transaction("BEGIN ISOLATION LEVEL READ COMMITTED", [&] {
    return in.run(one_at_a_time)
      .and_then([&] {
        return in.run("CREATE SCHEMA IF NOT EXISTS convene; "
                      "CREATE TABLE IF NOT EXISTS convene.version("
                      "part text PRIMARY KEY, version bigint NOT NULL)");
      })
      .and_then([&] { return part_version(in, part); })
      .and_then([&](std::int64_t found) -> result<void> {
        for (auto n = found; n < part.version(); ++n)
          if (auto done = in.run(part.steps[static_cast<std::size_t>(n)]);
              !done)
            return done;
        return in
          .query("INSERT INTO convene.version VALUES($1, $2) ON CONFLICT "
                 "(part) DO UPDATE SET version = excluded.version WHERE "
                 "version.version < excluded.version",
                 {part.name, part.version()})
          .map([](const postgres_rows& /*none*/) {});
      });
  });
}

} // namespace

result<std::int64_t> part_version(postgres_connection& in,
                                  const postgres_part& part) {
  return in.query("SELECT to_regclass('convene.version') IS NOT NULL")
    .and_then([&](const postgres_rows& is_there) -> result<std::int64_t> {
      if (is_there.number(0, 0) == 0)
        return 0;
      return version_of(in, part,
                        "SELECT version FROM convene.version WHERE part = $1");
    });
}

result<void> prepare_schema(postgres_connection& in,
                            const postgres_part& part) {
  const auto found = part_version(in, part);
  if (!found)
    return fail(found.error());
  if (*found > part.version())
    return fail(other_version(in, part, *found));
  return *found == part.version() ? result<void>{} : bring_up(in, part);
}

result<void> lock_part(postgres_connection& in, const postgres_part& part) {
  return version_of(in, part,
                    "SELECT version FROM convene.version WHERE part = $1 FOR "
                    "NO KEY UPDATE")
    .and_then([&](std::int64_t found) -> result<void> {
      if (found != part.version())
        return fail(other_version(in, part, found));
      return {};
    });
}

} // namespace convene::host
