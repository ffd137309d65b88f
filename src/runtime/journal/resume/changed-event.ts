import type { ChosenCall } from '../../../contracts/agents/decision.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { Happened, JournalRecord } from '../../../contracts/journals/journal-record.ts';
import type { Message } from '../../../contracts/messages/message.ts';
import { keyInRun } from '../../../contracts/runs/effect.ts';
import type { ToolSpec } from '../../../contracts/tools/tool-call.ts';
import type { ToolResult } from '../../../contracts/tools/tool-result.ts';

/** The types of the events that a fork may change. */
export const changeableTypes = ['model.answered', 'tool.finished', 'message.sent'] as const;

interface Found {
  readonly path: string;
  readonly step: number | undefined;
  readonly seq: number;
  readonly text: string;
}

/** A model's answer that a fork may change. */
export interface ChangeableAnswer extends Found {
  readonly type: 'model.answered';
  readonly calls: readonly ChosenCall[];
  /** The key of the model call, without the run. */
  readonly key: string;
  /** The number of the event by which it was asked. */
  readonly askedAt: number;
  /** The tools that the model was sent. */
  readonly tools: readonly ToolSpec[];
  /** The first record that came of the call. */
  readonly from: number;
}

/** A tool's result that a fork may change. */
export interface ChangeableResult extends Found {
  readonly type: 'tool.finished';
  readonly result: ToolResult;
  /** Indexes of its event, of its answer, and of the answer by which the step's last call ended. */
  readonly finishedAt: number;
  readonly answeredAt: number;
  readonly lastAt: number;
}

/** A message from outside that a fork may change. */
export interface ChangeableMessage extends Found {
  readonly type: 'message.sent';
  readonly message: Message;
  readonly to: string;
  /** The index of its arrival. */
  readonly from: number;
}

/** An event that a fork may change, as its run had it. */
export type ChangeableEvent = ChangeableAnswer | ChangeableResult | ChangeableMessage;

/**
 * The event of that number, if a fork may change it: what follows from answers alone, as a state does, changes with them.
 *
 * @throws {TroupeError} `journal.point-unknown` for a number that no event has; `input.invalid` for an event that cannot be changed, with the reason.
 */
export const changeableAt = (records: readonly JournalRecord[], seq: number): ChangeableEvent => {
  const index = records.findIndex((each) => each.kind === 'event' && each.event.seq === seq);
  const record = records[index];
  if (record?.kind !== 'event')
    throw new TroupeError('journal.point-unknown', `Cannot change event ${seq} as the run has none`);
  if (record.scope !== undefined)
    throw refusal(
      seq,
      `it is of '${record.event.agent}', which a call of an agent runs: change the result of that call`,
    );
  switch (record.event.type) {
    case 'model.answered':
      return answerAt(records, index, record.event);
    case 'tool.finished':
      return resultAt(records, index, record.event);
    case 'message.sent':
      return messageAt(records, record.event);
    default:
      throw refusal(
        seq,
        `it is ${record.event.type}: name one of ${changeableTypes.join(', ')}. Everything else follows from them`,
      );
  }
};

type EventOf<Type extends Happened['event']['type']> = Extract<Happened['event'], { readonly type: Type }>;

const answerAt = (
  records: readonly JournalRecord[],
  index: number,
  event: EventOf<'model.answered'>,
): ChangeableAnswer => {
  const { path, step, seq, text } = event;
  const key = keyInRun({ key: event.key, runId: runIdOf(records) });
  const asked = records.findLastIndex(
    (each, at) =>
      at < index &&
      each.kind === 'event' &&
      each.event.type === 'model.asked' &&
      each.event.key === event.key,
  );
  const askedEvent = records[asked];
  const isDecision = key.startsWith(`${path}#`)
    ? key.includes('.DECIDE.')
    : key.startsWith(`${path}/~model-`);
  if (askedEvent?.kind !== 'event' || !isDecision)
    throw refusal(seq, 'it is not the decision of a step: a strategy or a critic asked for it');
  const heard = records.findLast(
    (each, at) => at < index && each.kind === 'arrived' && isAbout(each.arrival, 'heard', key),
  );
  const raw = heard?.kind === 'arrived' && heard.arrival.type === 'heard' ? heard.arrival.answer : undefined;
  if (raw?.media !== undefined)
    throw refusal(seq, 'the model made media with it: change the answer of another step');
  const sent = records.findLastIndex(
    (each, at) => at < asked && each.kind === 'arrived' && isAbout(each.arrival, 'sent', key),
  );
  return {
    type: 'model.answered',
    path,
    step,
    seq,
    text,
    key,
    askedAt: askedEvent.event.seq,
    calls: (raw?.calls ?? []).map(({ name, input }) => ({ name, input })),
    tools: toolsSent(records, sent, path),
    from: sent < 0 ? asked : sent,
  };
};

const isAbout = (
  arrival: { readonly type: string; readonly key?: string | undefined },
  type: string,
  key: string,
): boolean => arrival.type === type && arrival.key === key;

/** The tools of a request, which an earlier one may have in full. */
const toolsSent = (records: readonly JournalRecord[], sent: number, path: string): readonly ToolSpec[] => {
  let hash: string | undefined;
  for (let index = sent; index >= 0; index -= 1) {
    const record = records[index];
    if (record?.kind !== 'arrived' || record.arrival.type !== 'sent' || record.arrival.path !== path)
      continue;
    const { tools } = record.arrival.request;
    hash ??= tools?.hash;
    if (tools?.hash === hash && tools?.specs !== undefined) return tools.specs;
  }
  return [];
};

const resultAt = (
  records: readonly JournalRecord[],
  index: number,
  { path, step, seq, text, callId }: EventOf<'tool.finished'>,
): ChangeableResult => {
  const answeredAt = records.findIndex(
    (each, at) => at > index && isAnswerOf(each, path) && resultIn(each)?.callId === callId,
  );
  const result = resultIn(records[answeredAt]);
  if (result === undefined) throw refusal(seq, 'the call has no result: its run ended before');
  const acted = records.findIndex(
    (each, at) =>
      at > answeredAt &&
      each.kind === 'event' &&
      each.scope === undefined &&
      each.event.type === 'agent.acted' &&
      each.event.path === path,
  );
  const lastAt = records.findLastIndex((each, at) => at < acted && isAnswerOf(each, path));
  return {
    type: 'tool.finished',
    path,
    step,
    seq,
    text,
    result,
    finishedAt: index,
    answeredAt,
    // Of a step that was cut off, only what came before the result is shared.
    lastAt: Math.max(lastAt, answeredAt),
  };
};

/** Checks whether a record is the answer of an effect of the agent at an address, or of a call of it, in the run's own scope. */
const isAnswerOf = (record: JournalRecord, path: string): boolean =>
  record.kind === 'arrived' &&
  record.scope === undefined &&
  (record.arrival.type === 'answered' || record.arrival.type === 'failed') &&
  (record.arrival.key.startsWith(`${path}#`) || record.arrival.key.startsWith(`${path}/~`));

const resultIn = (record: JournalRecord | undefined): ToolResult | undefined => {
  if (record?.kind !== 'arrived' || record.arrival.type !== 'answered') return undefined;
  const { output } = record.arrival;
  if (typeof output !== 'object' || output === null || !('result' in output)) return undefined;
  const { result } = output;
  // Written by a call of a tool: it has a call's id.
  return typeof result === 'object' && result !== null && 'callId' in result
    ? (result as ToolResult)
    : undefined;
};

const messageAt = (
  records: readonly JournalRecord[],
  { path, step, seq, text, id, to, from: who }: EventOf<'message.sent'>,
): ChangeableMessage => {
  const from = records.findIndex(
    (each) =>
      each.kind === 'arrived' &&
      each.scope === undefined &&
      each.arrival.type === 'message' &&
      id !== undefined &&
      each.arrival.message.id === id,
  );
  const record = records[from];
  const arrival = record?.kind === 'arrived' ? record.arrival : undefined;
  if (arrival?.type !== 'message' || arrival.message.sender !== undefined)
    throw refusal(
      seq,
      `'${who}' sent it by its own work: change the answer of its model that has the text, or the result that led to it`,
    );
  if (arrival.message.parts !== undefined)
    throw refusal(seq, 'it has more than text: fork before it, with another message');
  return { type: 'message.sent', path, step, seq, text, message: arrival.message, to, from };
};

const runIdOf = ([began]: readonly JournalRecord[]): string => (began?.kind === 'began' ? began.runId : '');

const refusal = (seq: number, reason: string): TroupeError =>
  new TroupeError('input.invalid', `Cannot change event ${seq} of the run as ${reason}`);
