/*
 * The C API of convene: run sessions in which several participants work on one
 * task, and answer for some of them.
 *
 * It never calls back. Requests and events are queues: threads of the
 * application take from them when they like, or a foreign event loop watches
 * convene_request_fd. So no thread of the library ever enters the application.
 *
 * Errors. Functions that can fail return a code of enum convene_code, and have
 * a last parameter `error`, which may be NULL. It is set to NULL, or on failure
 * to a JSON object {"code", "message", "details"}, to be freed by convene_free.
 * `code` is "invalid_document", "not_allowed" and so on; `details` may have
 * "rule", "pointer", "value", "line" and "column".
 *
 * Ownership. What is returned through a `char **` belongs to the caller and is
 * freed by convene_free; a `const char *` belongs to the handle. Handles are
 * freed by their own function, in any order, each once; NULL does no harm.
 * Texts that are passed in are copied before the function returns.
 *
 * Threads. All functions may be called by any thread at any time, also with the
 * same handle, except that nothing may use a handle once its free function was
 * called. Functions with a time block the caller for at most that long and
 * return CONVENE_TIMEOUT then: below 0 means without limit, 0 returns at once.
 * After fork() the child must not use the library.
 *
 * Texts are UTF-8 and end with a zero byte. The forms of scenarios, requests,
 * replies and results are those of the program (docs/agents.md).
 */
#ifndef CONVENE_H
#define CONVENE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version of this interface; convene_abi_version returns the library's. */
#define CONVENE_ABI_VERSION 0

enum convene_code {
  CONVENE_OK = 0,
  CONVENE_TIMEOUT = 1, /**< nothing within the time */
  CONVENE_ENDED = 2,   /**< nothing more will come */
  CONVENE_OVER = 3,    /**< the request is over or was answered */
  /* Failures, with a JSON error: */
  CONVENE_UNREADABLE = 101,         /**< a file or an id is not there */
  CONVENE_INVALID_JSON = 102,       /**< a text is not JSON */
  CONVENE_INVALID_DOCUMENT = 103,   /**< a document has errors */
  CONVENE_LIMIT_REACHED = 104,      /**< details.rule names the limit */
  CONVENE_ACTIVATION_REFUSED = 105, /**< the session may not start */
  CONVENE_UNSUPPORTED = 106,        /**< not supported by this version */
  CONVENE_NOT_ALLOWED = 107,        /**< not in this state */
  CONVENE_IO_FAILED = 108,          /**< a disk or a network failed */
  CONVENE_USAGE = 109,              /**< an argument is NULL or invalid */
  CONVENE_INTERNAL = 110            /**< a fault of the library */
};

typedef struct convene_runtime convene_runtime;
typedef struct convene_session convene_session;
typedef struct convene_request convene_request;
typedef struct convene_action convene_action;
typedef struct convene_subscription convene_subscription;

/** The library's version, like "0.2.0". Never freed. */
const char *convene_version(void);

/** CONVENE_ABI_VERSION of the library that is loaded. */
int convene_abi_version(void);

/** Frees a text that a function returned through a `char **`. */
void convene_free(char *text);

/* ---- The runtime ---- */

/**
 * Opens a runtime. `options` is NULL or a JSON object with these members, all
 * of them optional:
 *
 *   "threads"        worker threads; 0: one for each core
 *   "log"            file or folder of the event log; without one, sessions run
 *                    in memory
 *   "durability"     "none", "group" (default) or "strict"
 *   "seed"           virtual time: sessions run only while convene_await waits
 *   "sessions_max"   sessions at once
 *   "allow"          what scenarios may reach, as `--allow` of the program:
 *                    ["run=git", "net=localhost:8000"]; nothing by default
 *   "work_folder"    where programs of participants work
 *   "sandbox"        true: programs run under bubblewrap
 *   "participants"   ids for which this process answers in the sessions that
 *                    the log has, as in convene_start
 *   "resume_suspended"  true: suspended sessions on the log are resumed
 *   "accept_loss"    true: opens a log that has lost its end
 */
int convene_open(const char *options, convene_runtime **runtime, char **error);

/**
 * Cancels the running sessions, closes the log and wakes all threads that wait:
 * convene_next_request and convene_next_event return CONVENE_ENDED once their
 * queues are empty. Blocks until the log is closed. Later calls do nothing.
 */
int convene_close(convene_runtime *runtime, char **error);

/** Closes the runtime if it is open, and frees the handle. */
void convene_runtime_free(convene_runtime *runtime);

/**
 * What the log had when it was opened:
 * {"sessions": [ids], "events": n, "bytes_cut": n}, with the sessions that had
 * not ended; convene_recovered_session returns each.
 */
int convene_recovered(convene_runtime *runtime, char **json, char **error);

/** A session of convene_recovered; CONVENE_UNREADABLE for any other id. */
int convene_recovered_session(convene_runtime *runtime, const char *session_id,
                              convene_session **session, char **error);

/* ---- Sessions ---- */

/**
 * Starts a session. `scenario` is the JSON of a scenario, with all documents
 * embedded. `participants` is NULL or a JSON array with the ids of those for
 * whom this process answers, by convene_next_request; "*" stands for all that
 * the scenario has no behavior for. A participant that nobody answers for is an
 * error (details.rule is participant_unbound).
 */
int convene_start(convene_runtime *runtime, const char *scenario,
                  const char *participants, convene_session **session,
                  char **error);

/** Frees the handle; the session goes on. */
void convene_session_free(convene_session *session);

/** The session's id. */
const char *convene_session_id(const convene_session *session);

/**
 * How the session stands, without waiting:
 * {"session_id", "status": "active" | "suspended" | "completed" | "cancelled" |
 * "stopped", "events": n}. "stopped": convene_await returns why.
 */
int convene_status(convene_session *session, char **json, char **error);

/**
 * Waits for the session's end and returns its result, as `result.json` of the
 * program without paths: {"session_id", "status", "stop_reason", "turns_total",
 * ..., "errors"}. Fails if the session stopped with an error. Any number of
 * calls return the same. With a seed the session runs in this call, without
 * limit unless the time is 0.
 */
int convene_await(convene_session *session, int64_t timeout_ms, char **result,
                  char **error);

/** Ends the session as cancelled. `reason` may be NULL. Does not wait. */
int convene_cancel(convene_session *session, const char *reason, char **error);

/** Closes the open requests and issues no more. Does not wait. */
int convene_suspend(convene_session *session, const char *reason, char **error);

/** Continues a suspended session. Does not wait. */
int convene_resume(convene_session *session, char **error);

/**
 * Says something into the session that is no answer; later requests show it.
 * `participant` is who says it, of kind human or external, or NULL for the user
 * of the session. Waits until the session took it, or returns the rule that
 * refused it; with a seed it does not wait.
 */
int convene_message(convene_session *session, const char *text,
                    const char *participant, char **error);

/* ---- Requests ---- */

/**
 * Waits for the next request to a participant of this process. Each request is
 * returned once. CONVENE_TIMEOUT also after convene_wake, CONVENE_ENDED once
 * the runtime is closed.
 */
int convene_next_request(convene_runtime *runtime, int64_t timeout_ms,
                         convene_request **request, char **error);

/** Has one call of convene_next_request, the present or next one, return. */
void convene_wake(convene_runtime *runtime);

/**
 * A descriptor (an eventfd) that is readable while a request waits, after
 * convene_wake and once the runtime is closed. Only to be watched, never read
 * or closed; it lives as long as the runtime's handle.
 */
int convene_request_fd(convene_runtime *runtime);

/** The request as JSON, as programs get it (docs/agents.md, "The request"). */
const char *convene_request_json(convene_request *request);

/**
 * Answers with a reply: {"content": "..."}, with "writes", "handoff", "vote",
 * "decision", "end" and so on. An invalid reply is an error, and the request
 * stays open. CONVENE_OVER: it is over or was answered; nothing was sent.
 */
int convene_answer(convene_request *request, const char *reply, char **error);

/** 1 if the request was closed before its answer, else 0. */
int convene_request_over(const convene_request *request);

/**
 * Writes a resource before the answer: {"resource_type", "resource_id",
 * "base_version", "op", "value"}. The log and the next request show what came
 * of it. CONVENE_OVER: nothing was sent, because the request is over, or has
 * had 256 writes and claims.
 */
int convene_write(convene_request *request, const char *write, char **error);

/** Claims a resource before the answer: {"resource_type", "resource_id"}. */
int convene_claim(convene_request *request, const char *claim, char **error);

/**
 * Shows a piece of the reply's text before the answer, to subscriptions with
 * "texts". It is not on the log, and the answer has the whole text. At most
 * 1 MiB. CONVENE_OVER: the request is over; nothing was sent.
 */
int convene_stream(convene_request *request, const char *text, char **error);

/** Frees the handle. A request without an answer fails its turn. */
void convene_request_free(convene_request *request);

/* ---- Actions: what a participant does outside of the session ---- */

/**
 * Begins an action before the answer, such as a call of a tool. The log has it
 * when it begins and when it ends. After a crash or a suspension the request
 * comes again; the same action then returns its result from the log and is not
 * carried out again. Does not wait. `action`:
 *
 *   "position"    its place in the turn, like "1": the same each time that the
 *                 turn is done, another one for each action; at most 64 bytes
 *   "name"        of the tool; at most 1 KiB
 *   "arguments"   any JSON; optional
 *   "repeatable"  true: doing it twice is harmless. Else it begins once that is
 *                 on disk, and is not begun again if its outcome is unknown
 *   "kind"        "function" (default), "process", "http", "model" or "mcp"
 *
 * The application carries it out, as convene_action_next says.
 */
int convene_act(convene_request *request, const char *action,
                convene_action **begun, char **error);

/**
 * Waits for what comes next of an action, and returns one of these:
 *
 *   {"attempt": {"number", "idempotency_key", "timeout_ms"}}, at most once:
 *     carry it out now, and call convene_action_end. `timeout_ms` is what is
 *     left of the turn; "traceparent" and "tracestate" are there if there is a
 *     trace.
 *   {"result": {"status", "output", "error", "usage"}}, any number of times:
 *     it has ended. Without an attempt before, the log had the result, or the
 *     action was refused; error.code is then "outcome_unknown",
 *     "action_changed", "budget_exhausted" and so on (docs/agents.md). A second
 *     action at a position where this request has begun one is refused: as
 *     "action_open" until the first has ended, then as "attempt_out_of_order",
 *     or as "action_changed" if its kind, name or arguments differ.
 *
 * CONVENE_OVER: the turn is over; nothing more comes.
 */
int convene_action_next(convene_action *action, int64_t timeout_ms, char **step,
                        char **error);

/**
 * Ends the attempt: {"status": "completed", "output": ..., "usage": {...}} or
 * {"status": "failed", "error": {"code", "message"}}. "cancelled" and
 * "timed_out" are accepted in place of "failed"; "usage" goes with any status.
 * The result that counts is what convene_action_next returns then.
 * CONVENE_OVER: the action has ended, or the turn has; nothing was sent. Answer
 * only after the results have come, as the answer cancels what is open.
 */
int convene_action_end(convene_action *action, const char *result,
                       char **error);

/**
 * Frees the handle. An attempt without an end fails as "action_dropped", also
 * one that begins after this.
 */
void convene_action_free(convene_action *action);

/* ---- Events ---- */

/**
 * Subscribes to the events that are logged from now on, of all sessions.
 * `filter` is NULL or a JSON object that selects some: {"session_id", "types",
 * "families", "participants", "texts"}, three of them arrays. With "texts":
 * true, text that participants and models stream comes as {"text":
 * {"session_id", "participant_id", "content"}}, whatever "types" and "families"
 * select. The queue holds 10,000 items or 64 MiB.
 */
int convene_subscribe(convene_runtime *runtime, const char *filter,
                      convene_subscription **subscription, char **error);

/**
 * Waits for the next event, as its line on the log. If the queue was full, the
 * object {"missed": n} comes in place of n events. CONVENE_ENDED: nothing more
 * comes.
 */
int convene_next_event(convene_subscription *subscription, int64_t timeout_ms,
                       char **event, char **error);

/** Ends the subscription. */
void convene_subscription_free(convene_subscription *subscription);

/* ---- Logs and documents, without a runtime ---- */

/**
 * Verifies an event log, the folder of a run, or a file with events of other
 * programs, as `convene check --json` does. `options` is NULL or a JSON object:
 *
 *   "allow_unfinished"  true: sessions need not have ended
 *
 * Returns {"good", "log", "events", "sessions", "findings_total", "findings":
 * [{"file", "line", "session_id", "rule", "message"}], ...}, with the first
 * findings. A log that breaks the rules is no error; one that cannot be read
 * is. What a server keeps is CONVENE_UNSUPPORTED (details.rule is server_data).
 */
int convene_check(const char *log, const char *options, char **verdict,
                  char **error);

/**
 * Recomputes the sessions of a log, or of the folder of a run, and compares
 * each event, as `convene replay --json` does. Calls no participant. `options`:
 *
 *   "session"  the id of the only session that is compared
 *
 * Returns {"good", "log", "events", "sessions", "unfinished", "divergences",
 * "refused", "findings_total", "findings", ...}. Errors as convene_check.
 */
int convene_replay(const char *log, const char *options, char **verdict,
                   char **error);

/**
 * Validates a document, a file of JSON Lines, or a folder with such files, as
 * `convene validate --json` does. `options`:
 *
 *   "schema"      the name of a schema, instead of that which each document fits
 *   "strict"      true: only the protocol's schemas, to the letter
 *   "invariants"  true: also the protocol's invariants
 *   "rules"       names of sets of invariants, or of single ones
 *
 * Returns {"valid", "files_total", "files_invalid", "files": [{"file",
 * "schema", "valid", "errors": [...]}]}, with the first 10,000 files.
 */
int convene_validate(const char *path, const char *options, char **verdict,
                     char **error);

/* ---- Many seeds in virtual time, without a runtime ---- */

/**
 * Runs a scenario under many seeds, as `convene simulate --json` does, and
 * returns the summary (docs/simulation.md). `scenario` is the JSON of a
 * scenario, with all documents embedded, if it begins with `{`; else it is the
 * path of a scenario or of a folder of documents. `options` is NULL or a JSON
 * object with these members, all of them optional:
 *
 *   "seeds"       [first, last]; [1, 100] by default, at most 1,000,000 seeds
 *   "threads"     0: one for each core
 *   "set"         {"dotted.path": value}: members of the scenario to replace
 *   "stand_ins"   {"participant": behavior}, for those that would reach outside
 *   "measures"    {"name": "expression"}
 *   "properties"  a property or an array of them, as a file of `--property` has
 *   "faults"      as `--faults` has it: "random", "crash=0.01", an object or a
 *                 path
 *   "strict"      true: documents must conform to the protocol's schemas
 *   "timeout_ms"  the most time to take; without it, no limit
 *
 * Every participant needs a behavior (details.rule is participant_unbound) that
 * reaches nothing outside (stand_in_missing). The call blocks and uses its own
 * threads. "interrupted" is true in the summary if the time was over, or
 * convene_interrupt was called: the summary then has the seeds that had ended.
 */
int convene_simulate(const char *scenario, const char *options, char **summary,
                     char **error);

/**
 * Runs variants of a scenario under the same seeds and compares them seed by
 * seed, as `convene study --json` does (docs/study.md). `options` has the
 * members of convene_simulate, except "faults", and these:
 *
 *   "vary"         {"dotted.path": [values]}; or, for a sample of numbers,
 *                  {"dotted.path": {"from": 0.1, "to": 0.5}}
 *   "sample"       so many points of a Latin hypercube instead of all
 *                  combinations
 *   "sample_seed"  of the sample; 1 by default
 *   "baseline"     the point that others are compared with; 1 by default
 *
 * There are at most 10,000 points and 1,000,000 runs. An interrupted study has
 * the points that were finished.
 */
int convene_study(const char *scenario, const char *options, char **summary,
                  char **error);

/**
 * Has the calls of convene_simulate and convene_study that now run in this
 * process return soon. May be called by a handler of the host, by any thread,
 * but not by a signal's handler.
 */
void convene_interrupt(void);

#ifdef __cplusplus
}
#endif

#endif
