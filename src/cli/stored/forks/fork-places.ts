import { oneLine } from '../../../base/text/printable.ts';
import type { RuntimeEvent } from '../../../contracts/events/event.ts';
import type { StepView } from '../../../inspect/traces/step-view.ts';
import { stepsIn } from '../../../inspect/traces/step-view.ts';
import { changeableTypes } from '../../../runtime/journal/resume/changed-event.ts';

/** A step at which a run can be forked, and the option that names it. */
export interface ForkPlace {
  /** Of a member of a team, its address. */
  readonly member: string | undefined;
  readonly step: number;
  readonly option: string;
}

/** The last step at which a run can be forked: of its root, or, as a team takes no steps, of a member, which is named by its first event. */
export const lastForkPlace = (
  events: readonly RuntimeEvent[],
  steps: readonly StepView[] = stepsIn(events),
): ForkPlace | undefined => {
  const own = steps.findLast(({ path }) => !path.includes('/'));
  if (own !== undefined) return { member: undefined, step: own.step, option: `--at ${own.step}` };
  const last = steps.at(-1);
  const first = events.find(({ path, step }) => path === last?.path && step === last.step);
  return last && first && { member: last.path, step: last.step, option: `--event ${first.seq}` };
};

const isChangeable = ({ type }: RuntimeEvent): boolean =>
  changeableTypes.some((changeable) => changeable === type);

/** The events of some that a fork may change, with their numbers: `12 model.answered`. */
export const changeableEvents = (events: readonly RuntimeEvent[]): readonly string[] =>
  events.filter(isChangeable).map(({ seq, type }) => `${seq} ${type}`);

/** The events that are listed in a message. */
const FEW = 8;

/** The way to a step that exists, for a run that has not the one that was named. */
export const stepAdvice = (runId: string, events: readonly RuntimeEvent[]): string => {
  const place = lastForkPlace(events);
  if (place?.member === undefined) return `troupe show ${oneLine(runId)} lists the steps`;
  const { member, step, option } = place;
  return `its root is a team, whose members take the steps. Name an event, such as ${option}, with which ${oneLine(member)} began step ${step}`;
};

/** The way to a member's state as a step of it begins, for a run whose root is a team, which has none. */
export const stateAdvice = (runId: string, events: readonly RuntimeEvent[], step: number): string => {
  if (lastForkPlace(events)?.member === undefined) return stepAdvice(runId, events);
  const team = 'its root is a team, which has no state: that of a member is named by an event';
  const paths = new Set(events.filter(hasChangedState).map(({ path }) => path));
  const own = events.filter(({ path }) => paths.has(path));
  const made =
    own.find((event) => event.type === 'agent.reduced' && event.step === step - 1) ??
    own.find(({ type }) => type === 'agent.prepared');
  if (made === undefined) return `${team}, and no member of this run has changed one`;
  const began = made.type === 'agent.reduced' ? (made.step ?? 0) + 1 : 0;
  return `${team}, such as --event ${made.seq} for ${oneLine(made.path)} as step ${began} begins`;
};

const hasChangedState = (event: RuntimeEvent): boolean =>
  event.type === 'agent.reduced' && Object.keys(event.diff).length > 0;

/** The way to an event that a fork may change. */
export const eventAdvice = (events: readonly RuntimeEvent[]): string => {
  const all = changeableEvents(events);
  if (all.length === 0) return 'the run has no event that can be changed';
  const more = all.length > FEW ? `, and ${all.length - FEW} before them` : '';
  return `those that can be changed are ${all.slice(-FEW).join(', ')}${more}`;
};
