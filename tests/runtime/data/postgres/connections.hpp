#pragma once

#include <catch2/catch.hpp>
#include <convene/runtime/data/postgres/postgres_connection.hpp>
#include <support/postgres/postgres_server.hpp>

#include <string>

namespace convene::tests {

inline host::postgres_connection opened(const host::postgres_options& how) {
  auto made = host::postgres_connection::open(how);
  if (!made)
    FAIL(to_string(made.error()));
  return *std::move(made);
}

/// The rule of the error; empty: none.
template <class T>
std::string rule_of(const protocol::result<T>& what) {
  return what ? "" : what.error().rule;
}

} // namespace convene::tests
