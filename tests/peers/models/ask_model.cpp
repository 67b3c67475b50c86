// Has one model participant answer one request, and prints its reply as JSON:
//
//     ask_model openai|anthropic BASE_URL MODEL stream|whole

#include "runtime/outside/http/calls.hpp"

#include <boost/json/serialize.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/runtime/outside/participants/llm.hpp>

#include <cstdio>
#include <future>
#include <string_view>

int main(int argc, char** argv) {
  using namespace convene;
  if (argc != 5) {
    std::fputs("ask_model openai|anthropic BASE_URL MODEL stream|whole\n",
               stderr);
    return 2;
  }
  const std::string_view provider = argv[1];
  const std::string_view how = argv[4];
  host::llm_settings settings{.base_url = argv[2],
                              .model = argv[3],
                              .stream = how == "stream",
                              .timeout_ms = 120'000};
  if (provider == "anthropic")
    settings.provider = host::model_provider::anthropic;
  host::llm_behaviour model{
    settings,
    {.http = std::make_shared<host::paced_client>(
       std::make_shared<host::http_client>(tests::local_options())),
     .api_key = "k"}};
  std::promise<protocol::reply> answered;
  actors::turn_request asked;
  asked.participant = "ann";
  asked.task = "go";
  asked.turn = 1;
  asked.live = std::make_shared<actors::live_turn>(
    [&](protocol::reply what) { answered.set_value(std::move(what)); });
  model.begin(asked);
  std::puts(
    boost::json::serialize(protocol::encode(answered.get_future().get()))
      .c_str());
  return 0;
}
