import { signal } from '@preact/signals';
import type { ForkedEvent, ForkPoint } from '../../../contracts/journals/journal-record.ts';
import type { ChosenCall } from '../../../contracts/agents/decision.ts';
import { post } from '../control.ts';
import { oneLine } from '../../drawing/plain-text.ts';

/** An event of a run that is to be changed: its number, and its type. */
export interface ChangedPlace {
  readonly run: string;
  readonly seq: number;
  readonly type: ForkedEvent['type'];
}

/** The event whose form is open. */
export const changing = signal<ChangedPlace | undefined>(undefined);

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
}

type Got<Value> = { readonly value: Value } | { readonly problem: string };

/** Asks the server what may be changed: where nothing may be, it says why. */
export const loadChange = async ({ run, seq }: ChangedPlace): Promise<Got<ChangeForm>> => {
  const { value, problem } = await post({ do: 'change-form', run, seq });
  if (problem !== undefined) return { problem };
  return isForm(value) ? { value: value.form } : { problem: UNREADABLE };
};

/** Forks a run with a change; gives the id of the fork. With another model alone, the model's call is made again. */
export const forkWith = async (
  { run, seq }: ChangedPlace,
  { askedAt }: ChangeForm,
  edit: EventEdit,
): Promise<Got<string>> => {
  const isChanged = edit.text !== undefined || edit.calls !== undefined;
  const at = { seq: isChanged ? seq : (askedAt ?? seq) };
  const { value, problem } = await post({ do: 'fork', run, at, ...edit });
  if (problem !== undefined) return { problem };
  return isForked(value) ? { value: value.run } : { problem: UNREADABLE };
};

const UNREADABLE = 'The inspector answers what this page cannot read: reload the page.';

// The server is of the same package: what it gives has its type if it has the part that is looked at.
const isForm = (value: unknown): value is { readonly form: ChangeForm } =>
  isObject(value) && 'form' in value && isObject(value.form) && 'models' in value.form;

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
