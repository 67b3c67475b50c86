/** Sessions in which several agents work on one task. */

/** Any JSON object of the library: scenarios, requests, results, events. */
export type JsonObject = { [member: string]: any };

/** A failure of the library. */
export class ConveneError extends Error {
  constructor(code: string, message: string, details?: JsonObject);
  /** Like "not_allowed", or "timeout". */
  readonly code: string;
  readonly details: JsonObject;
  /** What was broken, like "participant_unbound". */
  readonly rule?: string;
}

export interface Write {
  resource_type: string;
  resource_id: string;
  base_version: number;
  op?: string;
  value?: unknown;
}

/** A participant's reply; all members are optional. */
export interface Reply {
  content?: string;
  status?: "completed" | "failed" | "declined";
  writes?: Write[];
  claim?: { resource_type: string; resource_id: string }[];
  handoff?: JsonObject;
  tasks?: JsonObject[];
  vote?: JsonObject;
  decision?: JsonObject[];
  end?: boolean;
  usage?: Usage;
  reasoning?: string[];
  result?: JsonObject;
  error?: { code: string; message: string };
}

export type Answer = Reply | string | null | undefined | void;

/** An attempt at an action. */
export interface Attempt {
  /** From 1; above it, the action had begun before a crash. */
  readonly number: number;
  /** The same for all attempts at this action. */
  readonly idempotencyKey: string;
  /** What is left of the turn. */
  readonly timeoutMs: number;
  readonly traceparent?: string;
  readonly tracestate?: string;
}

export interface ActionOptions<T = unknown> {
  /** Its place in the turn: the same each time that the turn is done, another one for
   * each action. Without it, it follows from name, arguments and how often the turn
   * had both. */
  position?: string;
  /** Doing it twice is harmless. Else it begins once that is on disk, and fails as
   * "outcome_unknown" if a crash interrupted it. */
  repeatable?: boolean;
  kind?: "function" | "process" | "http" | "model" | "mcp";
  /** What it used, for the session's budget. */
  usage?: (output: T) => Usage | undefined;
}

export interface Usage {
  prompt_tokens?: number;
  completion_tokens?: number;
  cost_microusd?: number;
}

/** A request to a participant. */
export class Turn {
  private constructor();
  /** All of it, as programs get it. */
  readonly request: JsonObject;
  readonly sessionId: string;
  readonly participantId: string;
  readonly wanted: "turn" | "broadcast" | "decision" | "vote" | "escalation";
  readonly task: string;
  readonly token: string;
  readonly dialog: JsonObject[];
  readonly resources: JsonObject[];
  /** Whether the reply can no longer be used. */
  readonly isOver: boolean;
  /** Aborted once the turn is closed before its reply: by a timeout, or because
   * the session was cancelled, suspended or closed. */
  readonly signal: AbortSignal;
  /** Writes before the reply. False: the turn is over. */
  write(resourceType: string, resourceId: string, baseVersion: number, value: unknown,
        op?: string): boolean;
  /** Claims before the reply. False: the turn is over. */
  claim(resourceType: string, resourceId: string): boolean;
  /** Shows a piece of the reply's text before the reply. False: the turn is over. */
  stream(text: string): boolean;
  /** Has `run` do something outside of the session, such as a call of a tool. The log
   * has it when it begins and when it ends; after a crash or a suspension the recorded
   * output is returned, and `run` is not called. Returns the output as JSON has it;
   * rejected with what `run` threw, or with a ConveneError. Await it before the reply. */
  act<T>(name: string, args: unknown, run: (attempt: Attempt) => T | Promise<T>,
         options?: ActionOptions<T>): Promise<T>;
}

export type AgentFunction = (turn: Turn) => Answer | Promise<Answer>;

export interface AgentOptions {
  role?: string;
  kind?: "agent" | "human" | "system" | "external";
}

/** A participant and the function that answers for it. */
export class Agent {
  private constructor();
  readonly participantId: string;
  readonly roleId: string;
  readonly kind: string;
  readonly run: AgentFunction;
}

/** Makes a participant of a function, which may be async. */
export function agent(participantId: string, run: AgentFunction, options?: AgentOptions): Agent;

export interface SessionStatus {
  session_id: string;
  status: "active" | "suspended" | "completed" | "cancelled" | "stopped";
  events: number;
}

/** What result.json has, and more. */
export interface Result extends JsonObject {
  session_id: string;
  status: "completed" | "cancelled";
  stop_reason: { condition: string; observed: string | null; limit: string | null };
  mode: string;
  turns_total: number;
  turns_failed: number;
  turns_timed_out: number;
  errors: { message: string; count: number; participants: string[] }[];
}

/** A session that was started. */
export class RunningSession {
  private constructor();
  readonly sessionId: string;
  readonly status: SessionStatus;
  /** Rejected with ConveneError if the session stopped with an error, or with the
   * code "timeout" after `timeoutMs`; the session runs on then. */
  result(timeoutMs?: number): Promise<Result>;
  cancel(reason?: string): void;
  suspend(reason?: string): void;
  resume(): void;
  /** Says something that is no reply; `participant` is human or external. */
  message(text: string, participant?: string): Promise<void>;
}

export interface EventFilter {
  session_id?: string;
  types?: string[];
  families?: string[];
  participants?: string[];
  /** Also text that agents and models stream, as { text: {...} }. */
  texts?: boolean;
}

/** Events as they are logged, for `for await`. If that is too slow, {missed: n}
 * comes in place of n events. Ends with the runtime, by return() or a break; until
 * then a read that waits keeps Node alive. */
export class Events implements AsyncIterableIterator<JsonObject> {
  private constructor();
  next(): Promise<IteratorResult<JsonObject, undefined>>;
  return(): Promise<IteratorResult<JsonObject, undefined>>;
  [Symbol.asyncIterator](): this;
}

/** The options of convene_open. */
export interface RuntimeOptions {
  /** Who answers in the sessions that the log has. */
  agents?: readonly Agent[];
  /** File or folder of the event log; without one, sessions run in memory. */
  log?: string | URL;
  durability?: "none" | "group" | "strict";
  /** Virtual time. */
  seed?: number;
  threads?: number;
  sessions_max?: number;
  /** What scenarios may reach, like "run=git"; nothing by default. */
  allow?: string[];
  work_folder?: string;
  sandbox?: boolean;
  resume_suspended?: boolean;
  accept_loss?: boolean;
}

/** Runs sessions. Opening one reads its log, and blocks meanwhile. */
export class Runtime {
  constructor(options?: RuntimeOptions);
  /** The sessions that the log had, resumed. */
  readonly recovered: RunningSession[];
  /** Starts a session of a scenario, in which `agents` answer; throws ConveneError
   * if it may not start. */
  start(scenario: JsonObject, agents?: readonly Agent[]): RunningSession;
  /** Events from now on. */
  events(filter?: EventFilter): Events;
  /** Cancels the sessions and closes the log. Functions that run are not waited
   * for: turn.signal is aborted. */
  close(): Promise<void>;
}

/** A runtime in memory, made once and closed at the end of the process. */
export function defaultRuntime(): Runtime;

export interface SessionOptions {
  scenario?: undefined;
  mode?: string;
  /** Agents, or objects with participant_id, role_id and behaviour. */
  participants?: readonly (Agent | JsonObject)[];
  task?: string;
  title?: string;
  purpose?: string;
  /** The scenario's `session`. */
  options?: JsonObject;
  runtime?: Runtime;
}

export interface ScenarioOptions {
  /** A scenario, or the path of a JSON file with all documents embedded. */
  scenario: JsonObject | string | URL;
  participants?: readonly Agent[];
  runtime?: Runtime;
}

/** A session to be run. */
export class Session {
  constructor(how: SessionOptions | ScenarioOptions);
  readonly scenario: JsonObject;
  readonly agents: Agent[];
  /** Starts it, in the given runtime or the default one. */
  start(): RunningSession;
  /** Runs it to its end. */
  run(): Promise<Result>;
}

/** The version of the library. */
export const version: string;
