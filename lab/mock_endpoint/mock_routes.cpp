#include <boost/json/serialize.hpp>
#include <convene/lab/mock_endpoint/call_record.hpp>
#include <convene/lab/mock_endpoint/caller_rates.hpp>
#include <convene/lab/mock_endpoint/mock_routes.hpp>
#include <convene/lab/mock_endpoint/paced_answer.hpp>
#include <convene/lab/mock_model/answer_form.hpp>
#include <convene/lab/mock_model/answer_source.hpp>
#include <convene/lab/mock_model/dialect_form.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;
using namespace host::mock;
using std::chrono::milliseconds;

/// How long a call that is to hang is left without an answer, if its caller
/// does not reset the connection: longer than clients wait.
constexpr milliseconds hang_time = std::chrono::minutes{15};

struct mock_server {
  explicit mock_server(profile how) : answers{std::move(how)} {}

  answer_source answers;
  caller_rates rates;
  std::shared_ptr<call_record> record = std::make_shared<call_record>();
};

using shared_mock = std::shared_ptr<mock_server>;

response with_body(unsigned status, std::string body) {
  return {.status = status, .body = std::move(body)};
}

response failed(wire_form form, unsigned status, std::string_view message,
                std::string_view code = {}) {
  return with_body(status, error_body(form, status, message, code));
}

/// Whose limits a call counts against.
std::string_view caller_of(const request& from) {
  const auto key = from.header("x-api-key");
  return key.empty() ? from.header("authorization") : key;
}

response no_such_model(wire_form form, std::string_view name) {
  return failed(form, 404,
                "this server has no model '" + std::string{name} + '\'',
                "model_not_found");
}

/// The whole request, if it is one; otherwise the answer to it.
tl::expected<prompt, response> prompt_of(wire_form form, const request& from) {
  const auto body = protocol::parse_json(from.body,
                                         {.bytes = mock_prompt_bytes_max});
  if (!body)
    return tl::unexpected{
      failed(form, 400, "the body is not JSON: " + body.error().message)};
  auto out = read_prompt(form, *body);
  if (!out)
    return tl::unexpected{failed(form, 400, out.error().message)};
  return *std::move(out);
}

/// An error of the profile, at its time.
void fail_call(wire_form form, dialect speaks, const answer& what,
               const responder& to, std::shared_ptr<void> open) {
  const auto& why = *what.fails;
  const bool hangs = why.how == failure::kind::hang;
  const unsigned status = hangs ? 504 : why.status;
  auto made = failed(form, status,
                     why.message.empty()
                       ? "the mock server's profile asks for this error"
                       : why.message,
                     status == 429 ? "rate_limit_exceeded" : "");
  if (form == wire_form::openai)
    made.body = shape_error(speaks, status, std::move(made.body));
  if (why.retry_after_s)
    made.headers.emplace_back("retry-after",
                              std::to_string(*why.retry_after_s));
  to.after(hangs ? hang_time : milliseconds{what.first_token_ms},
           [made = std::move(made), open = std::move(open)] { return made; });
}

/// The answer, all tokens at once or one by one.
void give(const prompt& asked, dialect speaks, answer what, const responder& to,
          caller_rates::headers told, std::shared_ptr<void> open) {
  asked_for by{.form = asked.form,
               .speaks = speaks,
               .model = asked.model,
               .wants_usage = asked.wants_usage,
               .prompt_tokens = asked.tokens};
  response made;
  made.headers = std::move(told);
  if (asked.streams) {
    made.content_type = "text/event-stream; charset=utf-8";
    made.stream
      = std::make_shared<paced_answer>(std::move(by), std::move(what),
                                       std::chrono::steady_clock::now(),
                                       std::move(open));
    return to(std::move(made));
  }
  const auto time
    = std::chrono::ceil<milliseconds>(due_after(what, what.tokens - 1));
  auto body = whole_body(by, what);
  if (what.fails) // it is cut: nothing else is left here
    made.stream = std::make_shared<cut_body>(std::move(body),
                                             what.fails->cut_after_bytes);
  else
    made.body = std::move(body);
  if (time.count() == 0)
    return to(std::move(made));
  to.after(time,
           [made = std::move(made), open = std::move(open)] { return made; });
}

void answer_call(mock_server& at, wire_form form, const request& from,
                 const responder& to) {
  auto read = prompt_of(form, from);
  if (!read)
    return to(std::move(read).error());
  const auto& asked = *read;
  const std::string key{from.header("idempotency-key")};
  auto open = at.record->begin(asked.model, key, from.body);
  const auto* model = at.answers.how().find(asked.model);
  if (model == nullptr)
    return to(no_such_model(form, asked.model));
  if (form == wire_form::openai)
    if (const auto fault = history_fault(model->speaks, from.body))
      return to(
        with_body(fault->status, shape_error(model->speaks, fault->status,
                                             error_body(form, fault->status,
                                                        fault->message))));
  const auto caller = caller_of(from);
  auto rate
    = at.rates.take(model->limits, form, asked.model, caller, asked.tokens,
                    std::chrono::steady_clock::now(),
                    std::chrono::duration_cast<milliseconds>(
                      std::chrono::system_clock::now().time_since_epoch())
                      .count());
  if (!rate.is_taken) {
    auto made = failed(form, 429,
                       "rate limit reached: " + rate.exceeded + " per minute",
                       "rate_limit_exceeded");
    made.headers = std::move(rate.told);
    return to(std::move(made));
  }
  auto what = at.answers.next(asked, key, *model);
  if (!what)
    return to(failed(form, 503,
                     "counted_requests_max: as many different requests are "
                     "counted as this server takes; start it again, or set "
                     "\"repeats\": \"same\" in its profile",
                     "counted_requests_max"));
  at.rates.spend(model->limits, asked.model, caller, what->tokens);
  if (what->fails && what->fails->how != failure::kind::cut)
    return fail_call(form, model->speaks, *what, to, std::move(open));
  give(asked, model->speaks, *std::move(what), to, std::move(rate.told),
       std::move(open));
}

/// Anthropic's clients say which version they speak.
wire_form form_of(const request& from) {
  return from.header("anthropic-version").empty() ? wire_form::openai
                                                  : wire_form::anthropic;
}

void list_models(const mock_server& at, const request& from,
                 const responder& to) {
  std::vector<std::string> names;
  for (const auto& one : at.answers.how().models)
    if (one.first != "*")
      names.push_back(one.first);
  to(json_response(200, model_list(form_of(from), names)));
}

void show_model(const mock_server& at, const request& from,
                const responder& to) {
  const auto& name = from.parameters.at("model");
  if (at.answers.how().find(name) == nullptr)
    return to(no_such_model(form_of(from), name));
  to(json_response(200, model_entry(form_of(from), name)));
}

void count_prompt(const request& from, const responder& to) {
  const auto read = prompt_of(wire_form::anthropic, from);
  if (!read)
    return to(read.error());
  to(json_response(200, json::object{{"input_tokens", read->tokens}}));
}

route endpoint(std::string_view method, std::string_view path, handler call,
               std::string_view about) {
  return {.method = std::string{method},
          .pattern = std::string{path},
          .call = std::move(call),
          .repeatable_by_key = false,
          .about = std::string{about}};
}

route model_endpoint(const shared_mock& at, wire_form form,
                     std::string_view path) {
  return endpoint(
    "POST", path,
    [at, form](const request& from, const responder& to) {
      answer_call(*at, form, from, to);
    },
    "A model's answer");
}

} // namespace

routes mock_routes(profile how) {
  const auto at = std::make_shared<mock_server>(std::move(how));
  return {model_endpoint(at, wire_form::openai, "/v1/chat/completions"),
          model_endpoint(at, wire_form::openai, "/chat/completions"),
          model_endpoint(at, wire_form::anthropic, "/v1/messages"),
          endpoint(
            "POST", "/v1/messages/count_tokens",
            [](const request& from, const responder& to) {
              count_prompt(from, to);
            },
            "How many tokens a prompt has"),
          endpoint(
            "GET", "/v1/models",
            [at](const request& from, const responder& to) {
              list_models(*at, from, to);
            },
            "The models"),
          endpoint(
            "GET", "/v1/models/{model}",
            [at](const request& from, const responder& to) {
              show_model(*at, from, to);
            },
            "A model"),
          endpoint(
            "GET", "/mock/calls",
            [at](const request&, const responder& to) {
              to(json_response(200, at->record->counts()));
            },
            "How many calls came"),
          endpoint(
            "GET", "/mock/keys",
            [at](const request&, const responder& to) {
              to(json_response(200, at->record->keys()));
            },
            "How many calls had each Idempotency-Key"),
          endpoint(
            "GET", "/mock/prompts/{model}",
            [at](const request& from, const responder& to) {
              auto body = at->record->latest(from.parameters.at("model"));
              if (body.empty())
                return to(failed(wire_form::openai, 404,
                                 "no prompt of this model is kept"));
              to(with_body(200, std::move(body)));
            },
            "The latest prompt of a model")};
}

} // namespace convene::server
