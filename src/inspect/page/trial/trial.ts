import { signal } from '@preact/signals';
import type { ToolCall } from '../../../contracts/tools/tool-call.ts';
import type { Usage } from '../../../contracts/models/usage.ts';
import { post, postForPieces } from '../control.ts';
import type { ModelAttempt, ModelItem } from '../model-calls.ts';

/** A model call that is to be made again. */
export interface TriedCall {
  readonly run: string;
  readonly item: ModelItem;
  readonly attempt: ModelAttempt;
}

/** The call whose form is open. */
export const tried = signal<TriedCall | undefined>(undefined);

/** The contents of a form, as the server gives them. */
export interface TrialForm {
  /** The model that was asked. */
  readonly model: string;
  readonly models: readonly string[];
  readonly instructions: string;
  /** The last message of a user; absent where there is none. */
  readonly message?: string | undefined;
  readonly settings?: unknown;
  /** Media that cannot be had, each with the reason. */
  readonly missing: readonly string[];
  readonly timeMs: number;
}

/** The answer to a call that was made again. */
export interface TrialAnswer {
  readonly model: string;
  readonly text: string;
  readonly reasoning?: string | undefined;
  readonly calls: readonly Pick<ToolCall, 'name' | 'input'>[];
  readonly refusal?: string | undefined;
  readonly finish: string;
  readonly tokens: Usage;
  readonly costUsd?: number | undefined;
  readonly firstMs?: number | undefined;
  readonly durationMs: number;
  readonly omitted?: Readonly<Record<string, string>> | undefined;
}

/** The edits of a form: what is absent is as it was. */
export interface TrialEdit {
  readonly model?: string | undefined;
  readonly instructions?: string | undefined;
  readonly message?: string | undefined;
  readonly timeMs: number;
}

/** A value of the server, or the reason why there is none. */
type Got<Value> = { readonly value: Value } | { readonly problem: string };

/** Asks the server for the form of a call. */
export const loadForm = async ({ run, attempt }: TriedCall): Promise<Got<TrialForm>> => {
  const { value, problem } = await post({ do: 'again-form', run, key: attempt.key });
  if (problem !== undefined) return { problem };
  return isForm(value) ? { value: value.form } : { problem: UNREADABLE };
};

/** An answer as far as it came. */
export interface AnswerSoFar {
  readonly text: string;
  readonly reasoning: string;
}

/** Makes a call again, and shows its answer as it arrives; an abort of the signal cancels it. */
export const makeAgain = async (
  { run, attempt }: TriedCall,
  edit: TrialEdit,
  cancelled: AbortSignal,
  show: (soFar: AnswerSoFar) => void,
): Promise<Got<TrialAnswer>> => {
  const command = { do: 'again', run, key: attempt.key, ...edit };
  let soFar: AnswerSoFar = { text: '', reasoning: '' };
  const { value, problem } = await postForPieces(command, cancelled, (piece) => {
    if (!isSaidPiece(piece)) return;
    soFar = { ...soFar, [piece.type]: soFar[piece.type] + piece.text };
    show(soFar);
  });
  if (problem !== undefined) return { problem };
  return isAnswer(value) ? { value: value.answer } : { problem: UNREADABLE };
};

const UNREADABLE = 'The inspector answers what this page cannot read: reload the page.';

// The server is of the same package: what it gives has its type if it has the part that is looked at.
const isForm = (value: unknown): value is { readonly form: TrialForm } =>
  isObject(value) && 'form' in value && isObject(value.form) && 'models' in value.form;

const isAnswer = (value: unknown): value is { readonly answer: TrialAnswer } =>
  isObject(value) && 'answer' in value && isObject(value.answer) && 'durationMs' in value.answer;

const isSaidPiece = (piece: unknown): piece is { readonly type: keyof AnswerSoFar; readonly text: string } =>
  isObject(piece) &&
  'type' in piece &&
  (piece.type === 'text' || piece.type === 'reasoning') &&
  'text' in piece &&
  typeof piece.text === 'string';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
