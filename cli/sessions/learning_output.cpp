#include <convene/cli/common/report.hpp>
#include <convene/cli/sessions/learning_output.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <fmt/format.h>

#include <utility>

namespace convene::cli {

using protocol::errc;
using protocol::fail;
using protocol::result;

result<std::shared_ptr<learning_output>>
learning_output::open(const learning_arguments& arguments,
                      std::shared_ptr<session_store> store) {
  if (arguments.file.empty() && !store) {
    if (arguments.scrub)
      return fail(errc::usage,
                  "--scrub is about learning samples: add --learn FILE or "
                  "--store",
                  "scrub");
    return nullptr;
  }
  std::shared_ptr<learning_output> made{new learning_output};
  made->store_ = std::move(store);
  made->options_ = {.scrub = arguments.scrub,
                    .consent = arguments.file.empty()
                                 ? host::sample_consent::named
                                 : host::sample_consent::not_opted_out};
  made->tally_.file = arguments.file;
  if (arguments.file.empty())
    return made;
  auto file = host::sample_file::open(arguments.file);
  if (!file)
    return fail(std::move(file).error());
  made->file_ = *std::move(file);
  return made;
}

host::session_samples learning_output::collector() const {
  return host::session_samples{options_};
}

void learning_output::put(host::session_samples& from) {
  const auto samples = from.take();
  tally_.samples += samples.size();
  tally_.left_out += from.left_out();
  tally_.opted_out += from.is_opted_out() ? 1 : 0;
  if (from.fault() && !tally_.failure)
    tally_.failure = from.fault();
  if (store_)
    store_->put(samples);
  if (!file_)
    return;
  if (auto added = file_->add(samples); added) {
    tally_.added += *added;
  } else {
    if (!tally_.failure)
      tally_.failure = std::move(added).error();
    file_.reset();
  }
}

void learning_output::give_up(protocol::error why) {
  if (!tally_.failure)
    tally_.failure = std::move(why);
}

void add_learning(const command_line& command, learning_arguments& arguments) {
  command.add("--learn", arguments.file);
  command.add("--scrub", arguments.scrub);
}

protocol::json::object to_json(const learning_tally& tally) {
  protocol::json::object all{{"samples", tally.samples},
                             {"left_out", tally.left_out},
                             {"opted_out", tally.opted_out}};
  if (!tally.file.empty()) {
    all.emplace("file", protocol::sanitize_utf8(tally.file));
    all.emplace("added", tally.added);
  }
  if (tally.failure)
    all.emplace("error", error_json(*tally.failure).at("error"));
  return all;
}

void tell(const learning_tally& tally, const std::string& folder,
          const common_options& common) {
  if (tally.failure)
    print_note(fmt::format("{}; the run itself is whole: to make its learning "
                           "samples, convene export {} --format learning",
                           line_of(*tally.failure), folder));
  if (common.quiet || tally.file.empty())
    return;
  if (tally.opted_out != 0)
    print_note(plural(tally.opted_out, "session")
               + " without learning samples: meta.cross_cutting of the "
                 "documents does not name learning-feedback");
  if (tally.left_out != 0)
    print_note(plural(tally.left_out, "learning sample")
               + " left out: a session has at most "
               + std::to_string(protocol::flow_samples_max));
  print("Learning samples: " + neutral(tally.file)
        + fmt::format(": {} added", tally.added)
        + (tally.added == tally.samples
             ? std::string{}
             : fmt::format(", {} there already", tally.samples - tally.added))
        + '\n');
}

} // namespace convene::cli
