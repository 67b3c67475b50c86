#include <convene/convene.hpp>

struct search_index {
  void find(const boost::json::value& what,
            const convene::action_responder& to);
};
extern const boost::json::object schema;
// in the function
search_index index;
