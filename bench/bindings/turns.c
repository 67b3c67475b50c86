/* usage: turns SESSIONS ROUNDS; prints microseconds per turn. One thread answers. */
#include <convene.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static convene_runtime* runtime;
static char* error;

static void* answer_all(void* unused) {
  (void)unused;
  for (;;) {
    convene_request* request = NULL;
    int code = convene_next_request(runtime, -1, &request, NULL);
    if (code == CONVENE_ENDED)
      return NULL;
    if (code != CONVENE_OK)
      continue;
    convene_request_json(request); /* as bindings have to read it */
    convene_answer(request, "{\"content\": \"looks good\"}", NULL);
    convene_request_free(request);
  }
}

static void check(int code) {
  if (code == CONVENE_OK)
    return;
  fprintf(stderr, "%s\n", error);
  exit(1);
}

static double seconds_of(int sessions, int rounds) {
  char scenario[1000];
  struct timespec begun;
  struct timespec ended;
  convene_session** all = calloc((size_t)sessions, sizeof *all);
  snprintf(scenario, sizeof scenario,
           "{\"convene\": \"1\", \"task\": \"review the change\","
           " \"session\": {\"rounds\": %d, \"max_turns\": 1000000000},"
           " \"collab\": {\"title\": \"bench\", \"purpose\": \"measure\","
           " \"mode\": \"round_robin\", \"participants\": ["
           "{\"participant_id\": \"a\", \"kind\": \"agent\", \"role_id\": \"r\"},"
           "{\"participant_id\": \"b\", \"kind\": \"agent\", \"role_id\": \"r\"}"
           "]}}",
           rounds);
  clock_gettime(CLOCK_MONOTONIC, &begun);
  for (int i = 0; i < sessions; i++)
    check(convene_start(runtime, scenario, "[\"*\"]", &all[i], &error));
  for (int i = 0; i < sessions; i++) {
    char* result = NULL;
    check(convene_await(all[i], -1, &result, &error));
    convene_free(result);
    convene_session_free(all[i]);
  }
  clock_gettime(CLOCK_MONOTONIC, &ended);
  free(all);
  return (double)(ended.tv_sec - begun.tv_sec)
         + (double)(ended.tv_nsec - begun.tv_nsec) / 1e9;
}

int main(int count, char** given) {
  int sessions = count > 1 ? atoi(given[1]) : 1;
  int rounds = count > 2 ? atoi(given[2]) : 1000;
  pthread_t thread;
  check(convene_open(NULL, &runtime, &error));
  pthread_create(&thread, NULL, answer_all, NULL);
  seconds_of(sessions, rounds / 10 + 1);
  printf("%.2f\n", seconds_of(sessions, rounds) * 1e6 / sessions / rounds / 2);
  check(convene_close(runtime, &error));
  pthread_join(thread, NULL);
  convene_runtime_free(runtime);
  return 0;
}
