import { isJsonObject, type Json } from '../base/json/json.ts';
import type { ErrorData } from '../contracts/errors/error-data.ts';
import type { EventOf, RuntimeEvent } from '../contracts/events/event.ts';
import type { Arrival, JournalRecord } from '../contracts/journals/journal-record.ts';
import type { RawAnswer, SentSource } from '../contracts/models/sent-request.ts';
import type { ToolSpec } from '../contracts/tools/tool-call.ts';
import type { ToolResult } from '../contracts/tools/tool-result.ts';
import type { Decided } from '../machines/agent/agent-context.ts';
import { readLogFile } from '../persistence/journal-file.ts';
import { parseRecords } from '../runtime/journal/replay/parse-records.ts';
import { sentRequestsOf } from '../runtime/journal/replay/sent-records.ts';

/** The place of an effect: its step, and its attempt, from 1. */
interface Place {
  readonly path: string;
  readonly step: number;
  readonly attempt: number;
}

/** One request to a model, and its answer or failure. */
export interface RecordedAnswer extends Place {
  /** The number of messages that it was sent. */
  readonly messages: number;
  readonly model: string;
  said: EventOf<'model.answered'> | undefined;
  raw: { calls?: RawAnswer['calls'] | undefined; replay?: RawAnswer['replay'] };
  error: ErrorData | undefined;
}

/** One attempt of a tool call, and its result or failure. */
export interface RecordedCall extends Place {
  readonly callId: string;
  readonly tool: string;
  readonly input: Json;
  result: ToolResult | undefined;
  error: ErrorData | undefined;
}

/** The part that models and tools had in a run: enough to play it again. */
export interface Cassette {
  readonly runId: string;
  /** By key, without the run's id. */
  readonly answers: ReadonlyMap<string, RecordedAnswer>;
  /** By address, step, call and attempt. */
  readonly calls: ReadonlyMap<string, RecordedCall>;
  /** The instructions that each agent sent its models, by address. */
  readonly prompts: ReadonlyMap<string, string>;
  readonly tools: ReadonlyMap<string, ToolSpec>;
}

/** Reads a log, an exported journal or a trace, for what models and tools did. @throws as `readLogFile` does. */
export const cassetteFrom = (file: string): Cassette => {
  const { head, records } = readLogFile(file);
  const { runId } = head.entry;
  const ofRun = records.flatMap(({ record }) => (isNote(record) ? [] : [record]));
  return cassetteOf(runId, parseRecords(runId, ofRun));
};

/** Reads the records of a run for what models and tools did. */
export const cassetteOf = (runId: string, records: readonly JournalRecord[]): Cassette =>
  new Reading(runId, records).cassette;

/** Checks whether a record is about a trace, and not about its run. */
const isNote = (record: Json): boolean =>
  isJsonObject(record) && (record['kind'] === 'opened' || record['kind'] === 'closed');

/** The name of an attempt of a call. */
export const callName = (path: string, step: number, callId: string, attempt: number): string =>
  `${path}#${step}.${callId}.${attempt}`;

/** Reads the events of a log, with the requests and raw answers that a journal keeps beside them, and a trace within. */
class Reading {
  readonly cassette: Cassette;
  readonly #answers = new Map<string, RecordedAnswer>();
  readonly #calls = new Map<string, RecordedCall>();
  readonly #prompts = new Map<string, string>();
  readonly #tools = new Map<string, ToolSpec>();
  readonly #sent: SentSource;
  readonly #runId: string;
  /** The last request of each agent, and the last attempt of each call. */
  readonly #asked = new Map<string, RecordedAnswer>();
  readonly #started = new Map<string, RecordedCall>();

  constructor(runId: string, records: readonly JournalRecord[]) {
    this.#runId = runId;
    this.#sent = sentRequestsOf(records, runId);
    const [answers, calls, prompts, tools] = [this.#answers, this.#calls, this.#prompts, this.#tools];
    this.cassette = { runId, answers, calls, prompts, tools };
    for (const record of records) {
      // An event lacks the fields that its journal has for all.
      if (record.kind === 'event') this.#event({ v: 1, runId, ...record.event } as RuntimeEvent);
      if (record.kind === 'arrived') this.#arrival(record.arrival);
    }
  }

  #event(event: RuntimeEvent): void {
    switch (event.type) {
      case 'model.asked':
        return this.#asks(event);
      case 'model.answered': {
        const answer = this.#answers.get(this.#within(event.key));
        if (answer === undefined) return;
        answer.said = event;
        Object.assign(answer.raw, event.raw ?? this.#sent.answerOf(event.key));
        return;
      }
      case 'model.failed':
      case 'model.retrying':
      case 'model.fell-back': {
        const answer = this.#asked.get(agentOf(event.path));
        if (answer?.said === undefined && answer !== undefined) answer.error = event.error;
        return;
      }
      case 'tool.started': {
        const { callId, tool, input, attempt, step = 0 } = event;
        if (event.synthesised === true) return;
        const path = agentOf(event.path);
        const call = { path, step, attempt, callId, tool, input, result: undefined, error: undefined };
        this.#calls.set(callName(path, step, callId, attempt), call);
        this.#started.set(`${path}#${step}.${callId}`, call);
        return;
      }
      case 'tool.retrying': {
        const call = this.#started.get(`${agentOf(event.path)}#${event.step ?? 0}.${event.callId}`);
        if (call !== undefined) call.error = event.error;
        return;
      }
      case 'tool.finished': {
        const call = this.#started.get(`${agentOf(event.path)}#${event.step ?? 0}.${event.callId}`);
        // A step that came to its end has the whole of it.
        if (call !== undefined && event.synthesised !== true) call.result = briefResult(event, call.attempt);
        return;
      }
      case 'step.ended': {
        const { path, step, results } = event.record;
        for (const result of results) {
          const call = this.#started.get(`${path}#${step}.${result.callId}`);
          if (call !== undefined) call.result = result;
        }
        return;
      }
      default:
    }
  }

  #asks(event: EventOf<'model.asked'>): void {
    const { model, messages } = event;
    const key = this.#within(event.key);
    const answer = { ...placeOf(key), model, messages, said: undefined, raw: {}, error: undefined };
    this.#answers.set(key, answer);
    this.#asked.set(answer.path, answer);
    const { instructions, tools } = event.request ?? this.#sent.requestOf(event.key) ?? {};
    if (instructions?.text !== undefined) this.#prompts.set(answer.path, instructions.text);
    for (const spec of tools?.specs ?? []) this.#tools.set(spec.name, spec);
  }

  /** Journals of 0.1 keep no requests and no raw answers. */
  #arrival(arrival: Arrival): void {
    if (arrival.type === 'prompted') {
      this.#prompts.set(arrival.path, arrival.prompt);
      for (const spec of arrival.tools) this.#tools.set(spec.name, spec);
    }
    if (arrival.type !== 'answered') return;
    const answer = this.#answers.get(arrival.key);
    const decided = arrival.output as Decided | undefined;
    if (answer !== undefined && decided !== undefined && 'turn' in decided)
      answer.raw = { ...decided.turn, ...answer.raw };
  }

  #within(key: string): string {
    return key.startsWith(`${this.#runId}/`) ? key.slice(this.#runId.length + 1) : key;
  }
}

/** The result of a call, as far as its event tells. */
const briefResult = (
  { callId, tool, text, durationMs, ok, error }: EventOf<'tool.finished'>,
  attempts: number,
): ToolResult => {
  const said = { callId, tool, text, durationMs, attempts };
  if (ok) return { ...said, ok, value: text };
  return {
    ...said,
    ok,
    kind: 'execution',
    error: error ?? { code: 'tool.failed', message: text, retryable: 'no' },
  };
};

/** The agent of an address, which may be that of a call of it. */
export const agentOf = (path: string): string => path.replace(/\/~[^/]+$/, '');

/** `desk/clerk/~call_0_1#2.running.1.3`: an address, a step with its round, a phase, an index, an attempt. */
const placeOf = (key: string): Place => {
  const [address = '', rest = ''] = key.split('#');
  const parts = rest.split('.');
  return {
    path: agentOf(address),
    step: Number.parseInt(parts[0] ?? '', 10),
    attempt: Number.parseInt(parts.at(-1) ?? '', 10),
  };
};
