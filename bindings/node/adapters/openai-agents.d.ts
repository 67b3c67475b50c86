/** Participants made of agents of the OpenAI Agents SDK (the package @openai/agents,
 * version 0.14). */
import type { AgentFunction } from "../index";
import type { AdapterOptions } from "./options";

export { currentTurn } from "./options";

/** The module "@openai/agents". */
export interface OpenaiAgents {
  Runner: new (config: any) => any;
  Usage: new (usage: any) => any;
}

/** The configuration of a Runner, and of the adapter. Tracing is disabled unless
 * tracingDisabled is false. */
export interface OpenaiAgentOptions extends AdapterOptions<string | object[]> {
  /** The context of the run, which tools get. */
  context?: unknown;
  /** 16 by default. */
  maxTurns?: number;
  [setting: string]: unknown;
}

/** Makes an agent function that runs an agent. Its calls of models and of function
 * tools, and those of the agents that it hands off to, are actions on the log; for that
 * `getAllTools` and `model` of these agents are replaced. */
export function openaiAgent(agents: OpenaiAgents, agent: object,
                            options?: OpenaiAgentOptions): AgentFunction;
