import type { Json, JsonObject } from '../../../base/json/json.ts';
import { toJson } from '../../../base/json/json.ts';
import type { EventBody, RuntimeEvent } from '../../../contracts/events/event.ts';
import type { EffectRole } from '../effect-charts.ts';
import { effectArrow, firstState, roles } from '../effect-charts.ts';
import type { GoneStatus, NewEntry } from '../entry.ts';

/**
 * A step of an effect by an event of its agent: it begins, by its role, or it moves on, by the state that it was in (`tool.running`). With the
 * actor where that is not the one that the event names, and the chart where that has not the name of the role.
 */
export type EffectStep = string | OtherStep;

interface OtherStep {
  readonly of: string;
  readonly actor?: string | undefined;
  readonly chart?: string | undefined;
}

/** An event, and what follows from it in a recording. */
export interface EventFacts {
  readonly event: RuntimeEvent;
  readonly firstMs?: number | undefined;
  readonly steps?: readonly EffectStep[] | undefined;
}

/** The entries of an event: what was published, and how effects of its agent move by it. Pure: who is sent the event makes the same. */
export const eventEntries = ({ event, firstMs, steps = [] }: EventFacts): readonly NewEntry[] => {
  const { at, runId: run, path, seq } = event;
  const actor = `${run}/${path}`;
  const effects = effectEntries(steps, { run, owner: actor, at, seq }, event);
  // That a state was entered is recorded as a move.
  if (event.type === 'phase.entered') return effects;
  const published = { kind: 'published', at, actor, event } as const;
  return [firstMs === undefined ? published : { ...published, firstMs }, ...effects];
};

/** Of an event: its run, the actor that it is about, when, and its number. */
export interface EventPlace {
  readonly run: string;
  readonly owner: string;
  readonly at: number;
  readonly seq: number;
}

/** An event as what it says, or as a whole. */
type Said = EventBody | RuntimeEvent;

/** The entries of effects that begin or move by an event. */
export const effectEntries = (
  steps: readonly EffectStep[],
  place: EventPlace,
  event: Said,
): readonly NewEntry[] => steps.flatMap((step) => entriesOfStep(step, place, event));

/** The number of entries of a step by an event of that type. */
export const countOf = (step: EffectStep, on: string): number => {
  const { from } = partsOf(step);
  return from !== undefined && effectArrow(from, on)?.isEnd !== true ? 1 : 2;
};

/** The type of an event as charts of effects have it: a tool may finish without success. */
export const effectType = (event: { readonly type: string; readonly ok?: unknown }): string =>
  event.type === 'tool.finished' && event.ok === false ? 'tool.failed' : event.type;

/** The id of an effect's actor. */
export const effectActor = (owner: string, role: EffectRole, id: string): string => `${owner}#${role}.${id}`;

const entriesOfStep = (
  step: EffectStep,
  { run, owner, at, seq }: EventPlace,
  event: Said,
): readonly NewEntry[] => {
  const on = effectType(event);
  const { role, from, ...other } = partsOf(step);
  const actor = other.actor ?? effectActor(owner, role, idOf(role, event, seq));
  const chart = other.chart ?? role;
  if (from === undefined) {
    const states = [firstState(role)];
    return [
      { kind: 'actor', at, actor, run, parent: owner, name: nameOf(event), role, chart },
      { kind: 'moved', at, actor, on, arrows: [], states, patch: contextOf(event) },
    ];
  }
  const arrow = effectArrow(from, on);
  if (arrow === undefined) return [];
  const moved = { kind: 'moved', at, actor, on, arrows: [arrow.id], states: [arrow.target] } as const;
  if (!arrow.isEnd) return [moved];
  const output = outputOf(event);
  const said = output === undefined ? {} : { output };
  return [moved, { kind: 'gone', at, actor, status: statusAt(arrow.target), ...said }];
};

interface StepParts extends Omit<OtherStep, 'of'> {
  readonly role: EffectRole;
  /** The state that it was in; undefined where it begins. */
  readonly from?: string | undefined;
}

const partsOf = (step: EffectStep): StepParts => {
  const { of, actor, chart } = typeof step === 'string' ? { of: step } : step;
  const role = roles.find((each) => of.startsWith(each)) ?? 'wait';
  return { role, actor, chart, ...(of === role ? {} : { from: of }) };
};

/** The id that an event has of an effect. */
const idOf = (role: EffectRole, event: Said, seq: number): string => {
  if (role === 'model' && 'key' in event) return event.key;
  if (role === 'tool' && 'callId' in event) return event.callId ?? '';
  if (role === 'person' && 'id' in event) return event.id ?? '';
  return String(seq);
};

/** The name of an effect that begins by an event. */
const nameOf = (event: Said): string => {
  switch (event.type) {
    case 'model.asked':
      return event.model;
    case 'tool.requested':
      return event.tool;
    case 'tool.approval-requested':
    case 'tool.ambiguous':
      return `whether ${event.tool}`;
    case 'agent.waiting':
      return event.reason ?? 'to be woken';
    default:
      return 'a person';
  }
};

/** The context of an effect that begins by an event. */
const contextOf = (event: Said): JsonObject => {
  switch (event.type) {
    case 'model.asked':
      return { model: event.model };
    case 'tool.requested':
      return { input: event.input };
    case 'tool.approval-requested':
    case 'tool.ambiguous':
      return { question: event.description };
    case 'person.asked':
      return { question: event.question };
    default:
      return {};
  }
};

/** The output of an effect that ends by an event. */
const outputOf = (event: Said): Json | undefined => {
  switch (event.type) {
    case 'model.answered': {
      const { text, usage, durationMs, costUsd } = event;
      return toJson({ text, usage, durationMs, costUsd });
    }
    case 'model.failed':
      return toJson(event.error);
    case 'tool.finished':
    case 'person.answered':
      return event.text;
    case 'request.withdrawn':
      return event.reason;
    default:
      return undefined;
  }
};

/** A withdrawn request was not answered. */
const statusAt = (target: string): GoneStatus => {
  if (target.endsWith('.withdrawn')) return 'stopped';
  return target.endsWith('.failed') ? 'failed' : 'done';
};
