#include <boost/json/serialize.hpp>
#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/codec/object_writer.hpp>
#include <convene/protocol/codec/text_writer.hpp>
#include <convene/protocol/documents/describe_reply.hpp>
#include <convene/protocol/documents/response_time.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/session/ending/ending.hpp>
#include <convene/session/spec/describe_spec.hpp>
#include <convene/session/spec/spec.hpp>

#include <algorithm>

namespace convene::session {
namespace {

using namespace convene::protocol;

/// The ids that there are, as far as anybody wants to read.
std::string listed(const std::vector<std::string_view>& ids) {
  constexpr std::size_t listed_max = 10;
  std::string all;
  for (std::size_t i = 0; i < std::min(ids.size(), listed_max); ++i)
    all += (i == 0 ? "; the ids are " : ", ") + shorten(ids[i]);
  return ids.size() > listed_max ? all + " and others" : all;
}

/// A behaviour that nobody has is a slip of the pen.
result<void> check_behaviours(const spec& what) {
  std::vector<std::string_view> ids;
  for (const auto& member : what.collab.participants)
    ids.push_back(member.participant_id);
  std::ranges::sort(ids);
  for (const auto& [id, behaviour] : what.behaviours) {
    error refused{.code = errc::invalid_document,
                  .pointer = "/behaviours",
                  .value = shorten_value(behaviour)};
    append_to_pointer(refused.pointer, id);
    if (id != "*" && !std::ranges::binary_search(ids, std::string_view{id})) {
      const auto nearest = suggest(id, ids);
      refused.rule = "known_participant";
      refused.message = "no participant has this id"
                        + (nearest.empty() ? listed(ids) : nearest);
      refused.value = '"' + shorten(id) + '"';
      return fail(std::move(refused));
    }
    if (!behaviour.is_object()) {
      refused.rule = "type";
      refused.message = "write an object here";
      return fail(std::move(refused));
    }
  }
  return {};
}

/// Notes where the tasks are written.
class spec_writer : public text_writer {
public:
  spec_writer(json_writer& out, spec_text& text)
    : text_writer(out), out_(out), text_(text) {}

  using text_writer::sparse;

  void sparse(std::string_view name, const std::vector<task>& from,
              const constraint& rule) {
    constexpr std::size_t around_name = 4; // ,"":
    const auto begin = out_.position() + name.size() + around_name;
    text_writer::sparse(name, from, rule);
    if (from.empty())
      return;
    text_.tasks_begin = begin;
    text_.tasks_end = out_.position();
  }

private:
  json_writer& out_;
  spec_text& text_;
};

result<void> check_trace(const spec& what) {
  if (!what.trace_context)
    return {};
  return check_trace_context(*what.trace_context, "/trace_context");
}

} // namespace

void fill_turn_timeout(spec& what) {
  const bool differ
    = std::ranges::any_of(what.behaviours, [](const auto& entry) {
        return takes_its_time(entry.value());
      });
  if (!differ && !what.options.turn_timeout_ms)
    what.options.turn_timeout_ms = response_time{}.timeout_ms;
}

json::object encode(const spec& what) {
  return std::move(write(what).as_object());
}

bool acts_outside(const spec& what) {
  constexpr std::string_view never[]{"echo",      "plan",     "script",
                                     "simulated", "reactive", "human",
                                     "external",  "function"};
  return std::ranges::any_of(what.behaviours, [&](const auto& each) {
    const auto* settings = each.value().if_object();
    return settings != nullptr
           && std::ranges::find(never, text_of(*settings, "type"))
                == std::ranges::end(never);
  });
}

result<spec_text> encode_text(const spec& what) {
  // Within these, no limit of parse_json can be passed.
  constexpr std::size_t surely_small = json_limits{}.string_bytes;
  constexpr json_limits inside_an_event{.depth = 120};
  spec_text text;
  constexpr std::size_t bytes_of_task = 64;
  static_cast<void>(text.all.reserve(what.tasks.size() * bytes_of_task));
  bool sound = true;
  {
    json_writer out{text.all};
    spec_writer members{out, text};
    describe(members, what);
    sound = members.finish();
  }
  if (sound && text.all.size() <= surely_small && valid_utf8(text.view())
      && check_behaviours(what) && check_trace(what))
    return text;
  const auto serialised = json::serialize(encode(what));
  auto read
    = parse_json(serialised, inside_an_event).and_then([](const auto& parsed) {
        return decode_spec(parsed);
      });
  if (!read)
    return fail(std::move(read).error());
  text = {};
  text.all.append(serialised);
  return text;
}

result<spec> decode_spec(const json::value& from) {
  reading r;
  spec to;
  if (!read(r, from, place{}, anything, to))
    return fail(*std::move(r.fault));
  if (auto checked = check_behaviours(to); !checked)
    return fail(std::move(checked).error());
  if (auto checked = check_trace(to); !checked)
    return fail(std::move(checked).error());
  if (to.options.end)
    if (auto end = make_ending(*to.options.end, "/session/end"); !end)
      return fail(std::move(end).error());
  return to;
}

} // namespace convene::session
