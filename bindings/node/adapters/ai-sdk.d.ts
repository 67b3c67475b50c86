/** Participants made of the AI SDK (the package "ai", version 6). */
import type { AgentFunction } from "../index";
import type { AdapterOptions } from "./options";

export { currentTurn } from "./options";

/** The module "ai". */
export interface AiSdk {
  generateText: (settings: any) => PromiseLike<any>;
  wrapLanguageModel: (how: any) => any;
  stepCountIs: (steps: number) => any;
}

/** Settings of generateText, and of the adapter. */
export interface AiSdkOptions extends AdapterOptions<string | object[]> {
  /** A model, or the name of one of the default provider. */
  model: string | object;
  tools?: Record<string, object>;
  /** Without it, 16 steps. */
  stopWhen?: unknown;
  /** As of Output.object. */
  output?: unknown;
  [setting: string]: unknown;
}

/** Makes an agent function that calls generateText. Its calls of the model and of tools
 * are actions on the log. */
export function aiSdkAgent(ai: AiSdk, options: AiSdkOptions): AgentFunction;
