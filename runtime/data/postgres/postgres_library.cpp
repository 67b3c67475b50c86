#include <convene/runtime/data/postgres/postgres_library.hpp>
#include <convene/runtime/log/files/late_library.hpp>

namespace convene::host {
namespace {

protocol::result<postgres_library> load_postgres_functions() {
  postgres_library made;
#define CONVENE_LATE(function, name) late(#function, made.name),
  return load_library(CONVENE_LIBPQ, {CONVENE_POSTGRES_FUNCTIONS(CONVENE_LATE)})
#undef CONVENE_LATE
    .map([&] { return made; })
    .map_error([](protocol::error missing) {
      missing.message += "; install PostgreSQL's client library (Debian: "
                         "apt install libpq5)";
      return missing;
    });
}

} // namespace

const protocol::result<postgres_library>& load_postgres() {
  static const auto made = load_postgres_functions();
  return made;
}

} // namespace convene::host
