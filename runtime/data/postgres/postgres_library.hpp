#pragma once

#include <convene/protocol/base/error.hpp>
#include <libpq-fe.h>

// For sources in this folder only.

namespace convene::host {

/// The functions of libpq that are called, and what they are named here.
// clang-format off
#define CONVENE_POSTGRES_FUNCTIONS(use)                                        \
  use(PQclear, clear) use(PQcmdStatus, cmd_status)                             \
  use(PQcmdTuples, cmd_tuples) use(PQconnectPoll, connect_poll)                \
  use(PQconnectStartParams, connect_start_params)                              \
  use(PQconnectionNeedsPassword, needs_password)                               \
  use(PQconninfoFree, conninfo_free) use(PQconninfoParse, conninfo_parse)      \
  use(PQconsumeInput, consume_input) use(PQerrorMessage, error_message)        \
  use(PQfinish, finish) use(PQflush, flush) use(PQfreemem, freemem)            \
  use(PQgetResult, get_result) use(PQgetisnull, get_is_null)                   \
  use(PQgetlength, get_length) use(PQgetvalue, get_value)                      \
  use(PQisBusy, is_busy) use(PQnfields, nfields) use(PQnotifies, notifies)     \
  use(PQparameterStatus, parameter_status)                                     \
  use(PQresultErrorField, result_error_field)                                  \
  use(PQresultStatus, result_status) use(PQsendPrepare, send_prepare)          \
  use(PQsendQuery, send_query) use(PQsendQueryPrepared, send_query_prepared)   \
  use(PQserverVersion, server_version)                                         \
  use(PQsetErrorVerbosity, set_error_verbosity)                                \
  use(PQsetNoticeProcessor, set_notice_processor)                              \
  use(PQsetSingleRowMode, set_single_row_mode)                                 \
  use(PQsetnonblocking, set_nonblocking) use(PQsocket, socket)                 \
  use(PQstatus, status) use(PQtransactionStatus, transaction_status)
// clang-format on

/// What is called of libpq, which `load_postgres` loads.
struct postgres_library {
#define CONVENE_MEMBER(function, name) decltype(&::function) name = nullptr;
  CONVENE_POSTGRES_FUNCTIONS(CONVENE_MEMBER)
#undef CONVENE_MEMBER
};

/// Loads it once. Error: `library_missing`, with the package to install.
[[nodiscard]] const protocol::result<postgres_library>& load_postgres();

/// What `load_postgres` has loaded.
[[nodiscard]] inline const postgres_library& postgres() {
  return *load_postgres();
}

} // namespace convene::host
