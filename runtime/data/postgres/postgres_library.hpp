#pragma once

#include <convene/protocol/base/error.hpp>
#include <libpq-fe.h>

// For sources in this folder only.

namespace convene::host {

/// What is called of libpq, which `load_postgres` loads.
struct postgres_library {
  decltype(&::PQclear) clear = nullptr;
  decltype(&::PQcmdStatus) cmd_status = nullptr;
  decltype(&::PQcmdTuples) cmd_tuples = nullptr;
  decltype(&::PQconnectPoll) connect_poll = nullptr;
  decltype(&::PQconnectStartParams) connect_start_params = nullptr;
  decltype(&::PQconnectionNeedsPassword) needs_password = nullptr;
  decltype(&::PQconninfoFree) conninfo_free = nullptr;
  decltype(&::PQconninfoParse) conninfo_parse = nullptr;
  decltype(&::PQconsumeInput) consume_input = nullptr;
  decltype(&::PQerrorMessage) error_message = nullptr;
  decltype(&::PQfinish) finish = nullptr;
  decltype(&::PQflush) flush = nullptr;
  decltype(&::PQfreemem) freemem = nullptr;
  decltype(&::PQgetResult) get_result = nullptr;
  decltype(&::PQgetisnull) get_is_null = nullptr;
  decltype(&::PQgetlength) get_length = nullptr;
  decltype(&::PQgetvalue) get_value = nullptr;
  decltype(&::PQisBusy) is_busy = nullptr;
  decltype(&::PQnfields) nfields = nullptr;
  decltype(&::PQnotifies) notifies = nullptr;
  decltype(&::PQparameterStatus) parameter_status = nullptr;
  decltype(&::PQresultErrorField) result_error_field = nullptr;
  decltype(&::PQresultStatus) result_status = nullptr;
  decltype(&::PQsendPrepare) send_prepare = nullptr;
  decltype(&::PQsendQuery) send_query = nullptr;
  decltype(&::PQsendQueryPrepared) send_query_prepared = nullptr;
  decltype(&::PQserverVersion) server_version = nullptr;
  decltype(&::PQsetErrorVerbosity) set_error_verbosity = nullptr;
  decltype(&::PQsetNoticeProcessor) set_notice_processor = nullptr;
  decltype(&::PQsetSingleRowMode) set_single_row_mode = nullptr;
  decltype(&::PQsetnonblocking) set_nonblocking = nullptr;
  decltype(&::PQsocket) socket = nullptr;
  decltype(&::PQstatus) status = nullptr;
  decltype(&::PQtransactionStatus) transaction_status = nullptr;
};

/// Loads it once. Error: `library_missing`, with the package to install.
[[nodiscard]] const protocol::result<postgres_library>& load_postgres();

/// What `load_postgres` has loaded.
[[nodiscard]] inline const postgres_library& postgres() {
  return *load_postgres();
}

} // namespace convene::host
