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
    const { path, agent, step } = event.type === 'step.ended' ? event.record : event;
    if (step === undefined) continue;
    const key = `${path} ${step}`;
    // Teams work through their members, and an end is no step.
    if (!steps.has(key) && !WORK.test(event.type)) continue;
    const before = steps.get(key) ?? { path, agent, step, modelCalls: 0, tokens: 0, costUsd: 0 };
    steps.set(key, after(before, event));
  }
  return [...steps.values()];
};

/** What tells that an agent is in a step. */
const WORK = /^(?:agent|model|tool|step|person)\./;

const after = (view: StepView, event: RuntimeEvent): StepView => {
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
