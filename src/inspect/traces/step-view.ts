import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { RunStatus } from '../../contracts/runs/run-status.ts';
import type { StepRecord } from '../../contracts/runs/step-record.ts';

/** The end of an agent in the middle of a step: the step has no further events. */
export interface StepEnd {
  readonly status: RunStatus;
  readonly at: number;
  readonly error?: ErrorData | undefined;
}

/** A step of an agent, by the events of its run. */
export interface StepView {
  readonly path: string;
  readonly agent: string;
  readonly step: number;
  /** Absent while it is under way, and where the agent ended before the step did. */
  readonly record?: StepRecord | undefined;
  /** Set where the agent, or the whole run, ended before the step did. */
  readonly cutBy?: StepEnd | undefined;
  /** Requests that were answered. */
  readonly modelCalls: number;
  /** Answers from a cache, whose models were not asked; absent without any. */
  readonly cachedAnswers?: number | undefined;
  /** Input and output, of all models. */
  readonly tokens: number;
  /** In US dollars; absent where the price of a call is not known. */
  readonly costUsd?: number | undefined;
}

/** All steps of a run, in the order in which they began. Pure. */
export const stepsIn = (events: readonly RuntimeEvent[]): readonly StepView[] => {
  const steps = new Map<string, StepView>();
  const ends = new Map<string, StepEnd>();
  let runEnd: StepEnd | undefined;
  for (const event of events) {
    if (event.type === 'member.ended') ends.set(event.path, endOf(event));
    if (event.type === 'run.ended') {
      runEnd = endOf(event);
      ends.set(event.path, runEnd);
    }
    const key = stepKeyOf(event);
    if (key === undefined) continue;
    const before = steps.get(key) ?? stepNamed(event);
    if (before !== undefined) steps.set(key, stepAfter(before, event) ?? before);
  }
  return [...steps.values()].map((view) => {
    const cutBy = view.record === undefined ? (ends.get(view.path) ?? runEnd) : undefined;
    return cutBy === undefined ? view : { ...view, cutBy };
  });
};

/** A member of a run that failed. */
export interface FailedMember {
  readonly path: string;
  readonly agent: string;
  readonly error?: ErrorData | undefined;
}

/** All members of a run that failed, in that order, also those that never began a step. Pure. */
export const failedMembersIn = (events: readonly RuntimeEvent[]): readonly FailedMember[] =>
  events.flatMap((event) =>
    event.type === 'member.ended' && event.status === 'failed'
      ? [
          {
            path: event.path,
            agent: event.agent,
            ...(event.error === undefined ? {} : { error: event.error }),
          },
        ]
      : [],
  );

const endOf = ({
  status,
  at,
  error,
}: Extract<RuntimeEvent, { type: 'member.ended' | 'run.ended' }>): StepEnd => ({
  status,
  at,
  ...(error === undefined ? {} : { error }),
});

/** Checks whether something failed in a step: a call of a tool, or the agent itself. */
export const hasFailed = ({ record, cutBy }: StepView): boolean =>
  cutBy?.status === 'failed' || (record?.results.some(({ ok }) => !ok) ?? false);

/** Events that show an agent in a step. */
const WORK = /^(?:agent|model|tool|step|person)\./;

/** The key that the events of a step share; undefined for events of no step. */
export const stepKeyOf = (event: RuntimeEvent): string | undefined => {
  const { path, step } = placeOf(event);
  return step === undefined ? undefined : `${path} ${step}`;
};

/** A step by its first event. Teams work through their members, and an end is no step: undefined for these. */
const stepNamed = (event: RuntimeEvent): StepView | undefined => {
  const { path, agent, step } = placeOf(event);
  if (step === undefined || !WORK.test(event.type)) return undefined;
  return { path, agent, step, modelCalls: 0, tokens: 0, costUsd: 0 };
};

/** The events of a call with an actor of its own (`~call_0_0`, `~model-0`) belong to the step of its agent. */
const placeOf = (event: RuntimeEvent): { path: string; agent: string; step?: number | undefined } => {
  if (event.type === 'step.ended') return event.record;
  const { path, agent, step } = event;
  const [worker] = path.split('/~', 1);
  return { path: worker ?? path, agent, step };
};

/** A step after one more of its events. */
const stepAfter = (view: StepView | undefined, event: RuntimeEvent): StepView | undefined => {
  if (view === undefined) return undefined;
  if (event.type === 'step.ended') return { ...view, record: event.record };
  if (event.type !== 'model.answered') return view;
  const { usage, costUsd, cached } = event;
  if (cached !== undefined) return { ...view, cachedAnswers: (view.cachedAnswers ?? 0) + 1 };
  const { costUsd: before } = view;
  return {
    ...view,
    modelCalls: view.modelCalls + 1,
    tokens: view.tokens + usage.input + usage.output,
    costUsd: before === undefined || costUsd === undefined ? undefined : before + costUsd,
  };
};
