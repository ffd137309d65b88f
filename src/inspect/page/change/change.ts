import { signal } from '@preact/signals';
import type { ForkedEvent, ForkPoint } from '../../../contracts/journals/journal-record.ts';
import type { Json } from '../../../base/json/json.ts';
import type { ChosenCall } from '../../../contracts/agents/decision.ts';
import { post } from '../control.ts';
import { oneLine } from '../../drawing/plain-text.ts';

/** An event of a run that is to be changed: its number, and its type. */
export interface EventPlace {
  readonly run: string;
  readonly seq: number;
  readonly type: ForkedEvent['type'];
}

/** The state of an agent that is to be changed, as a step of it begins. */
export interface StatePlace {
  readonly run: string;
  readonly path: string;
  readonly step: number;
}

/** The event, or the state, whose form is open. */
export const changing = signal<EventPlace | StatePlace | undefined>(undefined);

/** The contents of a form, as the server gives them. */
export interface ChangeForm {
  readonly path: string;
  readonly step?: number | undefined;
  readonly text: string;
  /** The calls of a model's answer, and the tools that it was sent. */
  readonly calls?: readonly ChosenCall[] | undefined;
  readonly tools?: readonly string[] | undefined;
  /** The event by which the model was asked. */
  readonly askedAt?: number | undefined;
  readonly models: readonly string[];
}

/** The edits of a form: what is absent is as it was. */
export interface EventEdit {
  readonly text?: string | undefined;
  readonly calls?: unknown;
  readonly model?: string | undefined;
  /** The person who changes it. */
  readonly by?: string | undefined;
}

export type Got<Value> = { readonly value: Value } | { readonly problem: string };

/** Asks the server what may be changed: where nothing may be, it says why. */
export const loadChange = async ({ run, seq }: EventPlace): Promise<Got<ChangeForm>> => {
  const { value, problem } = await post({ do: 'change-form', run, seq });
  if (problem !== undefined) return { problem };
  return isForm<ChangeForm>(value, 'models') ? { value: value.form } : { problem: UNREADABLE };
};

/** Forks a run with a change; gives the id of the fork. With another model alone, the model's call is made again. */
export const forkWith = async (
  { run, seq }: EventPlace,
  { askedAt }: ChangeForm,
  edit: EventEdit,
): Promise<Got<string>> => {
  const isChanged = edit.text !== undefined || edit.calls !== undefined;
  return forkAt(run, { at: { seq: isChanged ? seq : (askedAt ?? seq) }, ...edit });
};

/** The state of an agent, as the server gives it. */
export interface StateForm {
  readonly path: string;
  readonly agent: string;
  /** The step that begins with it. */
  readonly step: number;
  /** The event by which the agent came to it. */
  readonly seq: number;
  readonly state: Json;
}

/** Asks the server for a state that may be changed: where none may be, it says why. */
export const loadState = async (place: StatePlace): Promise<Got<StateForm>> => {
  const { value, problem } = await post({ do: 'state-form', ...place });
  if (problem !== undefined) return { problem };
  return isForm<StateForm>(value, 'state') ? { value: value.form } : { problem: UNREADABLE };
};

/** The edit of a state. */
export interface StateEdit extends Pick<EventEdit, 'by'> {
  readonly state: unknown;
}

/** Forks a run with another state; gives the id of the fork. */
export const forkWithState = (
  { run }: StatePlace,
  { seq }: StateForm,
  edit: StateEdit,
): Promise<Got<string>> => forkAt(run, { at: { seq }, ...edit });

const forkAt = async (run: string, fork: object): Promise<Got<string>> => {
  const { value, problem } = await post({ do: 'fork', run, ...fork });
  if (problem !== undefined) return { problem };
  return isForked(value) ? { value: value.run } : { problem: UNREADABLE };
};

const UNREADABLE = 'The inspector answers what this page cannot read: reload the page.';

// The server is of the same package: what it gives has its type if it has the part that is looked at.
const isForm = <Form>(value: unknown, part: keyof Form & string): value is { readonly form: Form } =>
  isObject(value) && 'form' in value && isObject(value.form) && part in value.form;

const isForked = (value: unknown): value is { readonly run: string } =>
  isObject(value) && 'run' in value && typeof value.run === 'string';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const names: Readonly<Record<ForkedEvent['type'], string>> = {
  'model.answered': "the model's answer",
  'tool.finished': "the tool's result",
  'message.sent': 'the message',
  'agent.reduced': 'the state',
  'agent.prepared': 'the state',
};

/** A kind of event, in words. */
export const nameOfEvent = (type: ForkedEvent['type']): string => names[type];

/** The place at which a run was forked, in words. */
export const forkPlace = ({ path = '', step }: ForkPoint): string => {
  const agent = oneLine(path.split('/').at(-1) ?? '', 40);
  if (step === undefined) return agent === '' ? '' : ` at ${agent}`;
  return ` at step ${step} of ${agent}`;
};

/** The person who forked a run, and when, in words: ` by Ada, 29 Nov 2026, 11:44`. */
export const authorWords = ({ by, at }: ForkPoint): string =>
  [by === undefined ? '' : ` by ${oneLine(by, 40)}`, at === undefined ? '' : `, ${dayAndTime(at)}`].join('');

const dayAndTime = (at: number): string =>
  new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
