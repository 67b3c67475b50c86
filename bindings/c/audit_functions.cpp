#include <boost/json/serialize.hpp>
#include <convene/bindings/c/outcome.hpp>
#include <convene/bindings/c/read_as.hpp>
#include <convene/protocol/documents/describe.hpp>
#include <convene/runtime/audit/audit_log.hpp>
#include <convene/runtime/audit/replay_audit.hpp>
#include <convene/runtime/audit/validation.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace convene::c_api;
using convene::protocol::errc;
using convene::protocol::fail;
using convene::protocol::result;
namespace host = convene::host;
namespace json = boost::json;

namespace convene::c_api {
namespace {

/// The members of the JSON options.
struct check_members {
  bool allow_unfinished = false;
};

CONVENE_DESCRIBE(check_members, DEFAULTED(allow_unfinished));

struct replay_members {
  std::string session;
};

CONVENE_DESCRIBE(replay_members, DEFAULTED(session));

struct validate_members {
  std::string schema;
  bool strict = false;
  bool invariants = false;
  std::vector<std::string> rules;
};

CONVENE_DESCRIBE(validate_members, DEFAULTED(schema), DEFAULTED(strict),
                 DEFAULTED(invariants), DEFAULTED(rules));

/// Files of a folder that a verdict lists; all are counted.
constexpr std::size_t files_listed_max = 10'000;

result<void> refuse_server(const std::string& log) {
  if (!host::is_data_folder(log) && !host::is_run_log(log))
    return {};
  return fail({.code = errc::unsupported,
               .message = "this is what a server keeps: check it with the "
                          "program, convene check",
               .file = log,
               .rule = "server_data"});
}

result<json::object> check(const std::string& log, const check_members& how) {
  return refuse_server(log)
    .and_then([&] { return host::audit_log(log, how.allow_unfinished); })
    .map([&](const host::log_verdict& all) {
      auto made = host::to_json(log, all);
      made.emplace("good", all.findings_total == 0);
      return made;
    });
}

result<json::object> replay(const std::string& log, const replay_members& how) {
  return refuse_server(log)
    .and_then([&] { return host::replay_log(log, how.session); })
    .map(
      [&](const host::replayed_log& all) { return host::to_json(log, all); });
}

result<json::object> validate(const std::string& path,
                              const validate_members& how) {
  const host::validation_wish wish{.paths = {path},
                                   .schema = how.schema,
                                   .strict = how.strict,
                                   .invariants = how.invariants,
                                   .rules = how.rules};
  std::size_t total = 0;
  std::size_t invalid = 0;
  json::array files;
  const auto done
    = host::validate_paths(wish, [&](const host::file_verdict& file) {
        if (host::is_passed_over(file))
          return;
        ++total;
        invalid += file.valid() ? 0 : 1;
        if (files.size() < files_listed_max)
          files.push_back(
            host::to_json(file, how.invariants || !how.rules.empty()));
      });
  return done.map([&] {
    return json::object{{"valid", invalid == 0},
                        {"files_total", total},
                        {"files_invalid", invalid},
                        {"files", std::move(files)}};
  });
}

/// Judges what is at `path`; `judge` gets options of the type `Members`.
template <class Members, class Judge>
int judged(const char* path, const char* name, const char* options,
           char** verdict, char** error, const Judge& judge) {
  return guarded(error, [&]() -> result<void> {
    if (path == nullptr || verdict == nullptr)
      return null_argument(path == nullptr ? name : "verdict");
    *verdict = nullptr;
    return read_text_as<Members>(options == nullptr ? "{}" : options)
      .and_then([&](const Members& how) { return judge(path, how); })
      .map([&](const json::object& made) {
        *verdict = text_for_caller(json::serialize(made));
      });
  });
}

} // namespace
} // namespace convene::c_api

int convene_check(const char* log, const char* options, char** verdict,
                  char** error) {
  return judged<check_members>(log, "log", options, verdict, error, check);
}

int convene_replay(const char* log, const char* options, char** verdict,
                   char** error) {
  return judged<replay_members>(log, "log", options, verdict, error, replay);
}

int convene_validate(const char* path, const char* options, char** verdict,
                     char** error) {
  return judged<validate_members>(path, "path", options, verdict, error,
                                  validate);
}
