/* A pair in C: this program answers for both participants, on one thread. */
#include <convene.h>

#include <stdio.h>
#include <string.h>

static const char scenario[]
  = "{\"convene\": \"1\", \"task\": \"500 on /login\", \"collab\": {"
    "\"title\": \"Fix the login bug\","
    "\"purpose\": \"Two agents, one driver at a time\", \"mode\": \"pair\","
    "\"participants\": ["
    "{\"participant_id\": \"coder\", \"kind\": \"agent\","
    " \"role_id\": \"role-coder\"},"
    "{\"participant_id\": \"reviewer\", \"kind\": \"agent\","
    " \"role_id\": \"role-reviewer\"}]}}";

static int failed(const char* what, char* error) {
  fprintf(stderr, "%s: %s\n", what, error);
  convene_free(error);
  return 1;
}

int main(void) {
  convene_runtime* runtime = NULL;
  convene_session* session = NULL;
  char* error = NULL;
  char* result = NULL;
  int code = CONVENE_TIMEOUT;

  if (convene_open(NULL, &runtime, &error) != CONVENE_OK)
    return failed("open", error);
  if (convene_start(runtime, scenario, "[\"*\"]", &session, &error)
      != CONVENE_OK)
    return failed("start", error);

  /* Answers what comes, and looks every 10 ms whether the session has ended. */
  while (code == CONVENE_TIMEOUT) {
    convene_request* request = NULL;
    if (convene_next_request(runtime, 10, &request, &error) == CONVENE_OK) {
      const char* asked = convene_request_json(request);
      const char* reply = strstr(asked, "\"participant_id\":\"coder\"")
                            ? "{\"content\": \"patch for the login\"}"
                            : "{\"content\": \"approved\", \"end\": true}";
      if (convene_answer(request, reply, &error) > CONVENE_OVER)
        return failed("answer", error);
      convene_request_free(request);
    }
    code = convene_await(session, 0, &result, &error);
  }
  if (code != CONVENE_OK)
    return failed("await", error);

  puts(result);
  convene_free(result);
  convene_session_free(session);
  convene_runtime_free(runtime);
  return 0;
}
