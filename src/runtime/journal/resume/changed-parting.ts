import type { ChosenCall } from '../../../contracts/agents/decision.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { JournalRecord } from '../../../contracts/journals/journal-record.ts';
import type { Message } from '../../../contracts/messages/message.ts';
import type { ModelAnswer } from '../../../contracts/models/model.ts';
import { modelAnswer } from '../../../contracts/models/model.ts';
import type { ToolSpec } from '../../../contracts/tools/tool-call.ts';
import type { ToolResult, ToolSuccess } from '../../../contracts/tools/tool-result.ts';
import type { Json } from '../../../base/json/json.ts';
import { toJson } from '../../../base/json/json.ts';
import { oddValueIn, problemOfOdd } from '../../../base/json/odd-value.ts';
import { issuesText } from '../../../base/schemas/schema.ts';
import { jsonSchema } from '../../../tools/schemas/json-schema.ts';
import { checkSchema } from '../../../tools/schemas/schemas.ts';
import type { ChangeableAnswer, ChangeableEvent, ChangeableResult } from './changed-event.ts';
import type { Parting } from './run-point.ts';

/** The words and calls in place of those of an event. */
export interface EventChange {
  readonly text?: string | undefined;
  readonly calls?: readonly ChosenCall[] | undefined;
}

/** A fork's share of a run, and what it has in place of the event that it changes. */
export interface EventParting extends Parting {
  /** The answer of a model call, by its key in the run. */
  readonly given?: readonly [key: string, answer: ModelAnswer] | undefined;
  readonly message?: { readonly message: Message; readonly to: string } | undefined;
}

/**
 * Splits a run at an event that its fork changes: all that does not follow from the event is shared.
 *
 * @throws (rejects with) {TroupeError} `input.invalid` for a change that the event cannot have.
 */
export const partingWith = async (
  records: readonly JournalRecord[],
  event: ChangeableEvent,
  change: EventChange,
): Promise<EventParting> => {
  if (event.type !== 'model.answered' && change.calls !== undefined)
    throw unfit(event, 'it has no calls: give a `text`');
  switch (event.type) {
    case 'model.answered':
      return { ...sharing(records.slice(0, event.from)), given: [event.key, await answerOf(event, change)] };
    case 'tool.finished':
      return resultParting(records, event, textOf(event, change));
    case 'message.sent': {
      const message = { ...event.message, text: textOf(event, change) };
      return { ...sharing(records.slice(0, event.from)), message: { message, to: event.to } };
    }
  }
};

const sharing = (records: readonly JournalRecord[]): Parting => ({
  records,
  inHand: undefined,
  seq: records.filter(({ kind }) => kind === 'event').length,
});

const textOf = (event: ChangeableEvent, { text = event.text }: EventChange): string => {
  if (text.trim() === '') throw unfit(event, 'its text would be empty: write one');
  return text;
};

const answerOf = async (event: ChangeableAnswer, change: EventChange): Promise<ModelAnswer> => {
  const { text = event.text, calls = event.calls } = change;
  if (text.trim() === '' && calls.length === 0)
    throw unfit(event, 'it would say nothing and call nothing: write a text, or a call');
  // Calls that stay may be those of which the model got something wrong.
  for (const [index, call] of (change.calls ?? []).entries()) {
    const problem = await problemOf(call, event.tools);
    if (problem !== undefined) throw unfit(event, `call ${index + 1} does not fit: ${problem}`);
  }
  return modelAnswer({ text, calls: calls.map((call, index) => ({ id: `given_${index}`, ...call })) });
};

/** The reason why a call cannot be made, by the schema that the model was sent. */
const problemOf = async (
  { name, input }: ChosenCall,
  tools: readonly ToolSpec[],
): Promise<string | undefined> => {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined)
    return `no tool is named '${name}': found ${tools.map((each) => each.name).join(', ') || 'no tools'}`;
  const odd = oddValueIn(input, 'input');
  if (odd !== undefined) return `${odd.at} is ${problemOfOdd(odd)}`;
  const checked = await checkSchema(jsonSchema(tool.parameters), input);
  return checked.ok ? undefined : `arguments of '${name}': ${issuesText(checked.issues)}`;
};

/** The records up to the end of the step's calls, with the result in its event and in its answer. */
const resultParting = (
  records: readonly JournalRecord[],
  { finishedAt, answeredAt, lastAt, result }: ChangeableResult,
  text: string,
): Parting => {
  const changed = records.map((record, index) =>
    index === finishedAt
      ? eventWith(record, text)
      : index === answeredAt
        ? arrivalWith(record, result, text)
        : record,
  );
  const last = changed[lastAt];
  return { ...sharing(changed.slice(0, lastAt)), inHand: last?.kind === 'arrived' ? last : undefined };
};

const eventWith = (record: JournalRecord, text: string): JournalRecord => {
  if (record.kind !== 'event' || record.event.type !== 'tool.finished') return record;
  const { error: _, artifacts: __, cached: ___, ...event } = record.event;
  return { ...record, event: { ...event, ok: true, text } };
};

const arrivalWith = (record: JournalRecord, result: ToolResult, text: string): JournalRecord =>
  record.kind === 'arrived' && record.arrival.type === 'answered'
    ? {
        ...record,
        arrival: { ...record.arrival, output: { kind: 'result', result: resultWith(result, text) } },
      }
    : record;

/** A result of that text alone: what else the tool gave was of another. */
const resultWith = (result: ToolResult, text: string): ToolSuccess => {
  const { callId, tool, durationMs, attempts, input, environment } = result;
  return {
    callId,
    tool,
    ok: true,
    text,
    value: result.ok && typeof result.value !== 'string' ? valueIn(text) : text,
    durationMs,
    attempts,
    ...(input === undefined ? {} : { input }),
    ...(environment === undefined ? {} : { environment }),
  };
};

const valueIn = (text: string): Json => {
  try {
    return toJson(JSON.parse(text));
  } catch {
    return text;
  }
};

const unfit = ({ seq, type }: ChangeableEvent, reason: string): TroupeError =>
  new TroupeError('input.invalid', `Cannot change event ${seq} (${type}) as ${reason}`);
