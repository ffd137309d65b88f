import type { Effect, Port } from '../contracts/runs/effect.ts';
import { effectKey } from '../contracts/runs/effect.ts';

/** The origin of an effect: the parts of its key. */
export interface EffectOrigin {
  readonly runId: string;
  readonly path: string;
  readonly agent: string;
  readonly step: number;
  readonly phase: string;
  readonly index?: number | undefined;
  readonly attempt?: number;
  /** Set for repeated work of a step. */
  readonly round?: string | undefined;
}

/** The ask of one port: an effect with its key, and its input. */
export const askOf = <P extends Port, Input>(
  port: P,
  origin: EffectOrigin,
  input: Input,
): Effect & { readonly port: P; readonly input: Input } => {
  const { runId, path, agent, step, phase, index = 0, attempt = 1, round } = origin;
  const key = effectKey({ runId, path, step, phase, index, attempt, round });
  return { port, key, runId, path, agent, step, phase, index, attempt, input };
};
