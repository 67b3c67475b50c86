#include <convene/runtime/data/postgres/postgres_library.hpp>
#include <convene/runtime/log/files/late_library.hpp>

namespace convene::host {
namespace {

protocol::result<postgres_library> load_postgres_functions() {
  postgres_library made;
  return load_library(CONVENE_LIBPQ,
                      {late("PQclear", made.clear),
                       late("PQcmdStatus", made.cmd_status),
                       late("PQcmdTuples", made.cmd_tuples),
                       late("PQconnectPoll", made.connect_poll),
                       late("PQconnectStartParams", made.connect_start_params),
                       late("PQconnectionNeedsPassword", made.needs_password),
                       late("PQconninfoFree", made.conninfo_free),
                       late("PQconninfoParse", made.conninfo_parse),
                       late("PQconsumeInput", made.consume_input),
                       late("PQerrorMessage", made.error_message),
                       late("PQfinish", made.finish),
                       late("PQflush", made.flush),
                       late("PQfreemem", made.freemem),
                       late("PQgetResult", made.get_result),
                       late("PQgetisnull", made.get_is_null),
                       late("PQgetlength", made.get_length),
                       late("PQgetvalue", made.get_value),
                       late("PQisBusy", made.is_busy),
                       late("PQnfields", made.nfields),
                       late("PQnotifies", made.notifies),
                       late("PQparameterStatus", made.parameter_status),
                       late("PQresultErrorField", made.result_error_field),
                       late("PQresultStatus", made.result_status),
                       late("PQsendPrepare", made.send_prepare),
                       late("PQsendQuery", made.send_query),
                       late("PQsendQueryPrepared", made.send_query_prepared),
                       late("PQserverVersion", made.server_version),
                       late("PQsetErrorVerbosity", made.set_error_verbosity),
                       late("PQsetNoticeProcessor", made.set_notice_processor),
                       late("PQsetSingleRowMode", made.set_single_row_mode),
                       late("PQsetnonblocking", made.set_nonblocking),
                       late("PQsocket", made.socket),
                       late("PQstatus", made.status),
                       late("PQtransactionStatus", made.transaction_status)})
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
