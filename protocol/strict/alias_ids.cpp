#include <convene/protocol/json/members.hpp>
#include <convene/protocol/strict/alias_ids.hpp>
#include <convene/protocol/strict/id_places.hpp>

namespace convene::protocol {

void collect_aliases(boost::json::value& from, const shape* how,
                     alias_table& aliases) {
  visit_ids(from, how,
            [&aliases](std::string_view id, id_place where, const auto&) {
              if (where == id_place::identity)
                aliases.collect(id);
              else
                aliases.collect_reference(id);
              return id;
            });
}

void alias_ids(boost::json::value& in, const shape* how,
               const alias_table& aliases, reading_notes& notes) {
  visit_ids(in, how,
            [&](std::string_view id, id_place where, const auto& pointer) {
              const auto strict = aliases.strict_of(id);
              if (where == id_place::identity && strict != id)
                notes.add({pointer(), "id",
                           quote(id) + " taken as " + std::string{strict}});
              return strict;
            });
}

} // namespace convene::protocol
