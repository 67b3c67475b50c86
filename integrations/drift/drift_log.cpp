#include <boost/json/serialize.hpp>
#include <convene/integrations/drift/drift_log.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/drift/drift_json.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/project_folder/open_below.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/write_all.hpp>
#include <fcntl.h>

#include <cerrno>
#include <map>

namespace convene::host {
namespace {

using namespace convene::protocol;

using open_records = std::map<std::string, drift_record>;

result<void> take_told(open_records& to, std::string_view line) {
  const auto event = parse_json(line);
  if (!event)
    return fail(event.error());
  if (!event->is_object())
    return fail(errc::invalid_document, "is not an event", "type");
  auto told = read_drift_event(event->get_object());
  if (!told)
    return fail(std::move(told).error());
  if (!*told)
    return {};
  const auto path = (*told)->record.path;
  if ((*told)->open)
    to.insert_or_assign(path, std::move((*told)->record));
  else
    to.erase(path);
  return {};
}

result<open_records> read_told(const std::filesystem::path& file,
                               std::string_view text) {
  open_records open;
  std::size_t number = 1;
  for (auto end = text.find('\n'); end != text.npos;
       end = text.find('\n'), ++number) {
    const auto line = text.substr(0, end);
    text.remove_prefix(end + 1);
    // What a crash left was ended by the next opening.
    const bool torn = line.empty() || line.back() != '}';
    if (auto done = torn ? result<void>{} : take_told(open, line); !done) {
      auto what = std::move(done).error();
      what.file = file.string();
      what.line = number;
      what.column = 1;
      return fail(std::move(what));
    }
  }
  return open;
}

} // namespace

drift_log::drift_log(std::filesystem::path file,
                     std::shared_ptr<const descriptor> out)
  : file_{std::move(file)}, out_{std::move(out)} {
  // nop
}

result<drift_log> drift_log::open(const std::filesystem::path& file,
                                  drift_book& book) {
  descriptor out{::open(file.c_str(),
                        O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC,
                        0600)};
  if (!out)
    return fail(write_error(file, errno));
  const auto text = read_file(file);
  if (!text)
    return fail(text.error());
  auto open = read_told(file, *text);
  if (!open)
    return fail(std::move(open).error());
  if (!text->empty() && text->back() != '\n' && !write_all(out.get(), "\n"))
    return fail(write_error(file, errno));
  for (auto& [path, record] : *open)
    book.restore(std::move(record));
  return drift_log{file, std::make_shared<const descriptor>(std::move(out))};
}

result<void> drift_log::append(drift_change how, const drift_record& record,
                               timestamp_ms at) {
  const auto event = drift_event(how, record, ids_.next(), at);
  if (!write_all(out_->get(), json::serialize(encode(event)) + '\n'))
    return fail(write_error(file_, errno));
  return {};
}

} // namespace convene::host
