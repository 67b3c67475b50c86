#pragma once

#include <boost/json/object.hpp>
#include <convene/actors/behaviours/distribution.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host::mock {

/// The longest answer that is drawn, in tokens.
inline constexpr std::int64_t answer_tokens_max = 100'000;

/// How fast a model answers. A number is drawn for each answer.
struct pace {
  actors::distribution first_token_ms;    ///< time to the first token
  actors::distribution tokens_per_second; ///< after it; 0: all at once
};

/// What one caller may ask of a model in a minute; 0: any number.
struct rate_limits {
  std::int64_t requests_per_minute = 0;
  std::int64_t tokens_per_minute = 0; ///< of prompts and answers
};

/// What happens instead of an answer, or to it.
struct failure {
  enum class kind : std::uint8_t {
    status, ///< an error with that status
    hang,   ///< no answer at all
    cut     ///< the connection ends within the answer
  };

  kind how = kind::status;
  unsigned status = 500;
  std::string message; ///< empty: one that says that it is meant so
  std::optional<std::int64_t> retry_after_s;
  std::size_t cut_after_bytes = 0; ///< of the answer's body
};

struct drawn_failure {
  double rate = 0; ///< the share of the answers
  failure what;
};

/// Why an answer ends, in words of no provider.
enum class finish : std::uint8_t {
  stop,
  length,
  tools,
  refusal,
  content_filter
};

struct tool_call {
  std::string name;
  boost::json::object arguments;
};

/// An answer of a script.
struct scripted_answer {
  std::string when; ///< a text that the prompt has to contain
  double weight = 1;
  std::string text;
  std::string thoughts; ///< for dialects that have them
  std::vector<tool_call> tools;
  std::optional<finish> ends; ///< unset: as the answer has it
  std::optional<failure> fails;
  std::optional<pace> speed; ///< instead of the model's
};

/// Which scripted answer a request gets, of those whose `when` fits.
enum class answer_order : std::uint8_t {
  next,       ///< the first one that was not given yet; at last the last one
  first,      ///< always the first one
  by_request, ///< the n-th time that this very request comes, the n-th one
  seeded      ///< one that is drawn, by its weight
};

/// Which server's own ways with OpenAI's form a model has.
enum class dialect : std::uint8_t {
  openai,
  azure,
  deepseek,
  gemini,
  groq,
  llama_cpp,
  lmdeploy,
  mistral,
  ollama,
  openrouter,
  tags, ///< thoughts in <think> tags
  tgi,
  vllm
};

/// One model of the server.
struct model {
  dialect speaks = dialect::openai;
  pace speed;
  rate_limits limits;
  std::vector<drawn_failure> errors;
  std::vector<scripted_answer> answers; ///< empty: words that are drawn
  answer_order order = answer_order::next;
  actors::distribution size_tokens{.low = 100};
  double tool_calls = 0; ///< the share of answers that call an offered tool
};

/// What a mock server answers.
struct profile {
  std::uint64_t seed = 0;
  /// Whether the same request, asked again, is answered anew.
  bool repeats_differ = true;
  std::map<std::string, model, std::less<>> models; ///< "*": any other

  /// The model of this name; null: there is none.
  [[nodiscard]] const model* find(std::string_view name) const;
};

/// The profile in a text, by the schema `convene-mock-model`. Errors have the
/// place in the text, and `file` as their file.
[[nodiscard]] protocol::result<profile> parse_profile(std::string_view text,
                                                      const std::string& file);

/// The profile in a file.
[[nodiscard]] protocol::result<profile>
read_profile(const std::filesystem::path& file);

} // namespace convene::host::mock
