import * as z from 'zod';
import { onDemand } from '../../base/on-demand.ts';
import type { Card } from '../../coordination/round/card.ts';

/** The name of the member that is asked for the choice; no agent may be called that. */
export const CHOOSER = 'chooser';

/** The pure function that scores an agent for a task, or assesses a task for a tier. */
export const CHOICE_FUNCTION = 'choice';

/** The schema of a judge's scores. */
export const scoresSchema = onDemand(() =>
  z.object({
    scores: z
      .array(
        z.object({
          agent: z.string().describe('The name of an agent.'),
          score: z.number().describe('How well it fits the task, from 0 to 1.'),
        }),
      )
      .describe('Every agent once.'),
  }),
);

/** The assessment of a task before a tier takes it. */
export const assessmentSchema = onDemand(() =>
  z.object({
    canHandle: z.boolean().nullable().describe('Whether this tier can do the task; null if you cannot tell.'),
    complexity: z.number().nullable().describe('How complex the task is, from 0 to 1.'),
    requiresTier: z.number().nullable().describe('The least tier that may do it; null for any.'),
  }),
);

/** The schema of a counter's answer: names, in the order of their turns. */
export const drawSchema = onDemand(() => z.array(z.string()));

/** The strategy, the cards it chooses among, and its bounds. */
export type RouterOptions = {
  readonly strategy: 'semantic' | 'round-robin' | 'random' | 'least-loaded' | 'tiers';
  /** Somebody is asked, or a pure function is, or it follows from the name of the run. */
  readonly by: 'member' | 'function' | 'chance';
  readonly cards: readonly Card[];
  readonly maxAttempts: number;
};
