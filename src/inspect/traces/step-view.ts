import type { RuntimeEvent } from '../../contracts/event.ts';
import type { StepRecord } from '../../contracts/run.ts';

/** A step of an agent as the events of its run tell of it. */
export interface StepView {
  readonly path: string;
  readonly agent: string;
  readonly step: number;
  /** Absent while it is under way. */
  readonly record?: StepRecord | undefined;
  readonly modelCalls: number;
  /** Input and output, of all models. */
  readonly tokens: number;
  /** In US dollars; absent where the price of a call is not known. */
  readonly costUsd?: number | undefined;
}

/** All steps of a run, in the order in which they began. Pure. */
export const stepsIn = (events: readonly RuntimeEvent[]): readonly StepView[] => {
  const steps = new Map<string, StepView>();
  for (const event of events) {
    const key = stepKeyOf(event);
    if (key === undefined) continue;
    const before = steps.get(key) ?? stepNamed(event);
    if (before !== undefined) steps.set(key, stepAfter(before, event) ?? before);
  }
  return [...steps.values()];
};

/** What tells that an agent is in a step. */
const WORK = /^(?:agent|model|tool|step|person)\./;

/** By what the events of a step belong together; undefined for what is of none. */
export const stepKeyOf = (event: RuntimeEvent): string | undefined => {
  const { path, step } = placeOf(event);
  return step === undefined ? undefined : `${path} ${step}`;
};

/** A step as its first event tells of it. Teams work through their members, and an end is no step: undefined for these. */
export const stepNamed = (event: RuntimeEvent): StepView | undefined => {
  const { path, agent, step } = placeOf(event);
  if (step === undefined || !WORK.test(event.type)) return undefined;
  return { path, agent, step, modelCalls: 0, tokens: 0, costUsd: 0 };
};

const placeOf = (event: RuntimeEvent): { path: string; agent: string; step?: number | undefined } =>
  event.type === 'step.ended' ? event.record : event;

/** A step after one more of its events. */
export const stepAfter = (view: StepView | undefined, event: RuntimeEvent): StepView | undefined => {
  if (view === undefined) return undefined;
  if (event.type === 'step.ended') return { ...view, record: event.record };
  if (event.type !== 'model.answered') return view;
  const { usage, costUsd } = event;
  const { costUsd: before } = view;
  return {
    ...view,
    modelCalls: view.modelCalls + 1,
    tokens: view.tokens + usage.input + usage.output,
    costUsd: before === undefined || costUsd === undefined ? undefined : before + costUsd,
  };
};
