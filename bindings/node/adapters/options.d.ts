import type { Answer, Turn } from "../index";

/** What all adapters take. `P` is a prompt, `R` a result of the framework. */
export interface AdapterOptions<P = any, R = any> {
  /** Makes the prompt of a turn. Without it: who is asked, the messages and shared
   * resources (each at most 100,000 characters, the newest), and the task. */
  prompt?: (turn: Turn) => P | Promise<P>;
  /** Makes the reply. Without it: the text, or structured output as `result`. Needed for
   * votes, decisions and escalations. */
  reply?: (result: R, turn: Turn) => Answer | Promise<Answer>;
  /** The names of tools that may be called twice; true: all of them. */
  repeatable?: boolean | Iterable<string>;
}

/** The turn that an adapter runs, where its tools and nodes are called. */
export function currentTurn(): Turn | undefined;
