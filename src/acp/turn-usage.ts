import type * as sdk from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import type { Usage } from '../contracts/models/usage.ts';
import { onDemand } from '../base/on-demand.ts';

/** Tokens as agents report them with the end of a turn; the stable protocol does not name them yet. */
const reportSchema = onDemand(() =>
  z.object({
    usage: z.object({
      inputTokens: z.number().check(z.nonnegative()),
      outputTokens: z.number().check(z.nonnegative()),
      cachedReadTokens: z.nullish(z.number()),
      cachedWriteTokens: z.nullish(z.number()),
      thoughtTokens: z.nullish(z.number()),
    }),
  }),
);

/** Characters of a token, where none are reported. */
const CHARACTERS = 4;

/** The use of one turn after another: what is reported at the end of a turn, estimates of its stages before, and the costs in between. */
export class TurnUsage {
  #reported: Usage | undefined;
  #estimated = 0;
  /** Cost of the session, in US dollars, as it was last reported, and as it was last counted. */
  #costUsd = 0;
  #countedUsd = 0;

  begin(): void {
    this.#reported = undefined;
    this.#estimated = 0;
  }

  /** Reads the result of a turn. */
  report(result: object): void {
    const { success, data } = z.safeParse(reportSchema(), result);
    if (!success) return;
    const { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens, thoughtTokens } = data.usage;
    const cached = cachedReadTokens ?? 0;
    const stored = cachedWriteTokens ?? 0;
    this.#reported = {
      // Agents count what was read from a cache, or written to one, beside the input.
      input: inputTokens + cached + stored,
      output: outputTokens,
      ...(cached > 0 ? { cached } : {}),
      ...(stored > 0 ? { stored } : {}),
      ...(typeof thoughtTokens === 'number' ? { reasoning: thoughtTokens } : {}),
    };
  }

  /** Reads the cost of the session so far. */
  update({ cost }: sdk.UsageUpdate): void {
    if (cost?.currency === 'USD' && cost.amount >= this.#costUsd) this.#costUsd = cost.amount;
  }

  /** The use of a stage that had that many characters. */
  ofStage(characters: number, isLast: boolean): Usage {
    const billed = this.#costUsd - this.#countedUsd;
    this.#countedUsd = this.#costUsd;
    const cost = billed > 0 ? { billedUsd: billed } : {};
    const reported = isLast ? this.#reported : undefined;
    if (reported !== undefined)
      return { ...reported, output: Math.max(0, reported.output - this.#estimated), ...cost };
    const output = Math.max(1, Math.ceil(characters / CHARACTERS));
    this.#estimated += output;
    return { input: 0, output, isEstimate: true, ...cost };
  }
}
