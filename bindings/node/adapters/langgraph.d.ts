/** Participants made of graphs of LangGraph (the package @langchain/langgraph, version 1). */
import type { AgentFunction, Turn } from "../index";
import type { AdapterOptions } from "./options";

export { currentTurn } from "./options";

export interface LanggraphOptions extends AdapterOptions {
  /** Makes the graph's input. Without it, a message of the user. */
  input?: (prompt: any, turn: Turn) => unknown;
  /** The config of `invoke`. Without a thread_id, each turn has a thread of its own. */
  config?: object | ((turn: Turn) => object | Promise<object>);
}

/** Makes an agent function that invokes a compiled graph. */
export function langgraphAgent(graph: { invoke(input: any, config?: any): Promise<any> },
                               options?: LanggraphOptions): AgentFunction;

/** Tools of LangChain whose calls are actions on the log while an adapter runs their
 * graph. They have to return JSON. */
export function actions<T extends object>(tools: readonly T[]): T[];
