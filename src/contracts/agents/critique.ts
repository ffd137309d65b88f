import type { JsonObject } from '../../base/json/json.ts';

/** A critic's verdict. `revise` sends the agent back with the note; `stop` ends the run. Each may carry a patch, too. */
export type Critique = (
  | { readonly verdict: 'accept'; readonly note?: string | undefined }
  | { readonly verdict: 'revise'; readonly note: string }
  | { readonly verdict: 'stop'; readonly note: string }
) & { readonly patch?: CritiquePatch | undefined };

/** Changes that come with a verdict. Plain JSON only; anything else makes the critique invalid. */
export interface CritiquePatch {
  /** Keys that replace those of the agent's state, before the run continues or ends. */
  readonly state?: JsonObject | undefined;
  /** Added to the agent's instructions from the next step on; only recorded where the run ends. */
  readonly instruction?: string | undefined;
}

/** A critique, with the name of its critic. */
export type SaidCritique = Critique & {
  /** The critic's name. */
  readonly critic: string;
};
