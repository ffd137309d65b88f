import type { Effect, Port } from '../contracts/runs/effect.ts';
import { effectKey } from '../contracts/runs/effect.ts';

/** The origin of an effect: the parts of its key. */
export interface EffectOrigin {
  readonly runId: string;
  readonly path: string;
  readonly agent: string;
  readonly step: number;
  readonly phase: string;
  readonly index?: number;
  readonly attempt?: number;
  /** Set for repeated work of a step. */
  readonly round?: string | undefined;
}

/** The effect of one port, with its key. */
export const effectOf = <P extends Port>(port: P, origin: EffectOrigin): Effect & { readonly port: P } => {
  const { runId, path, agent, step, phase, index = 0, attempt = 1, round } = origin;
  const key = effectKey({ runId, path, step, phase, index, attempt, round });
  return { port, key, runId, path, agent, step, phase, index, attempt };
};
