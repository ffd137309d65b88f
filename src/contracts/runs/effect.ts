/**
 * The named kinds of work that machines ask for.
 *
 * agent: prepare, observe, decide, act, critique, wake, recover · modelCall: model, pause · toolCall: approve, tool, pause.
 */
export type Port =
  | 'prepare'
  | 'observe'
  | 'decide'
  | 'act'
  | 'critique'
  | 'wake'
  | 'recover'
  | 'model'
  | 'tool'
  | 'approve'
  | 'pause';

/** One request of a port for a piece of work; its key follows from the asker's context alone. */
export interface Effect {
  readonly port: Port;
  /** `runId/path#step.PHASE.index.attempt` */
  readonly key: string;
  readonly runId: string;
  readonly path: string;
  readonly agent: string;
  readonly step: number;
  readonly phase: string;
  /** Its index among the effects requested together. */
  readonly index: number;
  /** From 1. */
  readonly attempt: number;
}

/** The id of a tool call: the runtime numbers calls itself, as providers repeat ids, and leave them out. */
export const callIdOf = (step: number, index: number): string => `call_${step}_${index}`;

/** Returns the key of an effect: equal in each replay and after a restart, as only the context goes into it. */
export const effectKey = (
  of: Pick<Effect, 'runId' | 'path' | 'step' | 'phase' | 'index' | 'attempt'> & {
    /** Set where work of a step is retried or decided on: keys are never reused. */
    readonly round?: string | undefined;
  },
): string => {
  const step = of.round === undefined ? of.step : `${of.step}~${of.round}`;
  // Joined, not a template: V8 keeps a template as a tree of its parts, four times the size, for as long as the
  // effect is on record.
  return [`${of.runId}/${of.path}#${step}`, of.phase, of.index, of.attempt].join('.');
};

/** A key without the run that it is of: equal in a run and in its forks. */
export const keyInRun = ({ key, runId }: Pick<Effect, 'key' | 'runId'>): string =>
  key.startsWith(`${runId}/`) ? key.slice(runId.length + 1) : key;
