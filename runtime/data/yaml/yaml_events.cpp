#include <convene/protocol/json/json_scan.hpp>
#include <convene/runtime/data/yaml/yaml_events.hpp>

#include <new>
#include <string>

namespace convene::host {

using namespace convene::protocol;

void yaml_events::parser_delete::operator()(yaml_parser_t* what) const {
  with(what);
  delete what;
}

void yaml_events::event_delete::operator()(yaml_event_t* what) const {
  with(what);
  delete what;
}

yaml_events::yaml_events(const yaml_library& with, std::string_view text)
  : library_{with}, text_{text}, parser_{new yaml_parser_t{},
                                         {with.parser_delete}},
    event_{nullptr, {with.event_delete}} {
  if (with.parser_initialize(parser_.get()) == 0)
    throw std::bad_alloc{};
  with.parser_set_encoding(parser_.get(), YAML_UTF8_ENCODING);
  with.parser_set_input_string(
    parser_.get(), reinterpret_cast<const unsigned char*>(text.data()),
    text.size());
}

result<const yaml_event_t*> yaml_events::next() {
  event_.reset();
  auto made = std::make_unique<yaml_event_t>();
  if (library_.parser_parse(parser_.get(), made.get()) == 0)
    return fail(fault());
  event_.reset(made.release());
  return event_.get();
}

text_place yaml_events::place_of(const yaml_mark_t& mark) {
  const auto is_continued = [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
  };
  for (; characters_ < mark.index && at_ < text_.size(); ++characters_) {
    const char c = text_[at_++];
    while (at_ < text_.size() && is_continued(text_[at_]))
      ++at_;
    if (c == '\n'
        || (c == '\r' && (at_ == text_.size() || text_[at_] != '\n'))) {
      ++line_;
      line_start_ = at_;
    }
  }
  return {line_, at_ - line_start_ + 1};
}

error yaml_events::fault() {
  if (parser_->error == YAML_MEMORY_ERROR)
    throw std::bad_alloc{};
  if (parser_->error == YAML_READER_ERROR) // counts bytes
    return fault_at(text_, parser_->problem_offset, "syntax",
                    "a control character: write it as an escape in double "
                    "quotes");
  const auto [line, column] = place_of(parser_->problem_mark);
  std::string message = parser_->problem;
  if (parser_->context != nullptr)
    message.append(" ").append(parser_->context);
  if (at_ < text_.size() && text_[at_] == '\t')
    message += ": indent with spaces, not with tabs";
  return {.code = errc::invalid_json,
          .message = std::move(message),
          .rule = "syntax",
          .line = line,
          .column = column};
}

} // namespace convene::host
