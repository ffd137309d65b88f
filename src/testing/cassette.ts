import { callIdOf } from '../contracts/runs/effect.ts';
import type { ErrorData } from '../contracts/errors/error-data.ts';
import type { EventOf } from '../contracts/events/event.ts';
import type { JournalRecord } from '../contracts/journals/journal-record.ts';
import type { Json } from '../base/json/json.ts';
import type { ToolResult } from '../contracts/tools/tool-result.ts';
import type { ToolSpec } from '../contracts/tools/tool-call.ts';
import type { AssistantTurn } from '../contracts/conversations/transcript.ts';
import type { Acted, Decided } from '../machines/agent/agent-context.ts';
import { openJournal } from '../persistence/journal-codec.ts';
import { readJournalFile } from '../persistence/journal-file.ts';
import { parseRecords } from '../runtime/journal/replay/parse-records.ts';

/** Where an effect was asked: in whose step, and for the how manieth time. */
interface Place {
  readonly path: string;
  readonly step: number;
  readonly attempt: number;
}

/** One request to a model, and what came of it. */
export interface RecordedAnswer extends Place {
  readonly key: string;
  /** The number of messages that it was sent. */
  readonly messages: number;
  readonly model: string;
  readonly said: Said | undefined;
  readonly turn: AssistantTurn | undefined;
  readonly error: ErrorData | undefined;
}

/** What a model said, as the event has it. */
type Said = Omit<EventOf<'model.answered'>, 'v' | 'runId'>;

/** One attempt of a tool call, and what came of it. */
export interface RecordedCall extends Place {
  readonly callId: string;
  readonly tool: string;
  readonly input: Json;
  readonly result: ToolResult | undefined;
  readonly error: ErrorData | undefined;
}

/** What a journal has of models and tools: enough to play their part again. */
export interface Cassette {
  readonly runId: string;
  /** By key, without the run's id. */
  readonly answers: ReadonlyMap<string, RecordedAnswer>;
  /** By address, step, call and attempt. */
  readonly calls: ReadonlyMap<string, RecordedCall>;
  /** What each agent told its models of itself, by address. */
  readonly prompts: ReadonlyMap<string, string>;
  readonly tools: ReadonlyMap<string, ToolSpec>;
}

/** The journal in a file, read for what models and tools did. @throws as `readJournalFile` does; `journal.corrupt`, `journal.version`. */
export const cassetteFrom = (file: string): Cassette => {
  const { entry, rows } = readJournalFile(file);
  const { records, damage } = openJournal(entry.runId, rows);
  if (damage !== undefined) throw damage;
  return cassetteOf(entry.runId, parseRecords(entry.runId, records));
};

/** The name of an attempt of a call. */
export const callName = (path: string, step: number, callId: string, attempt: number): string =>
  `${path}#${step}.${callId}.${attempt}`;

const cassetteOf = (runId: string, records: readonly JournalRecord[]): Cassette => {
  const said = new Map<string, Said>();
  const asked = new Map<string, { readonly model: string; readonly messages: number }>();
  const requested = new Map<string, { readonly tool: string; readonly input: Json }>();
  const answers = new Map<string, RecordedAnswer>();
  const calls = new Map<string, RecordedCall>();
  const prompts = new Map<string, string>();
  const tools = new Map<string, ToolSpec>();
  const within = (key: string): string => (key.startsWith(`${runId}/`) ? key.slice(runId.length + 1) : key);

  for (const record of records) {
    if (record.kind === 'event') {
      const { event } = record;
      if (event.type === 'model.asked') asked.set(within(event.key), event);
      else if (event.type === 'model.answered') said.set(within(event.key), event);
      else if (event.type === 'tool.requested')
        requested.set(`${event.path}#${event.step ?? 0}.${event.callId}`, event);
      continue;
    }
    if (record.kind !== 'arrived') continue;
    const { arrival } = record;
    if (arrival.type === 'prompted') {
      prompts.set(arrival.path, arrival.prompt);
      for (const spec of arrival.tools) tools.set(spec.name, spec);
    }
    if (arrival.type !== 'answered' && arrival.type !== 'failed') continue;
    const { key } = arrival;
    const place = placeOf(key);
    const request = asked.get(key);
    if (request !== undefined) {
      const output = arrival.type === 'answered' ? (arrival.output as Decided | undefined) : undefined;
      const error = arrival.type === 'failed' ? arrival.error : errorOf(output);
      const turn = output !== undefined && 'turn' in output ? output.turn : undefined;
      answers.set(key, { ...place, ...request, key, said: said.get(key), turn, error });
    } else if (arrival.type === 'answered') {
      const acted = arrival.output as Acted | undefined;
      const callId = callIn(acted, place.step);
      const call = callId === undefined ? undefined : requested.get(`${place.path}#${place.step}.${callId}`);
      if (acted === undefined || callId === undefined || call === undefined) continue;
      const result = acted.kind === 'result' ? acted.result : undefined;
      const error = acted.kind === 'trouble' ? acted.error : undefined;
      calls.set(callName(place.path, place.step, callId, place.attempt), {
        ...place,
        ...call,
        callId,
        result,
        error,
      });
    }
  }
  return { runId, answers, calls, prompts, tools };
};

const errorOf = (output: Decided | undefined): ErrorData | undefined =>
  output?.kind === 'trouble' ? output.error : undefined;

/** The call that an answer is of; undefined where it is of none. */
const callIn = (acted: Acted | undefined, step: number): string | undefined => {
  if (acted?.kind === 'result') return acted.result.callId;
  // Trouble of a call that has to be approved is no attempt yet.
  return acted?.kind === 'trouble' && acted.needsApproval !== true && acted.error !== undefined
    ? callIdOf(step, acted.index)
    : undefined;
};

/** `desk/clerk/~call_0_1#2.running.1.3`: an address, perhaps of a call, a step with its round, a phase, an index, an attempt. */
const placeOf = (key: string): Place => {
  const [address = '', rest = ''] = key.split('#');
  const parts = rest.split('.');
  return {
    path: address.replace(/\/~[^/]+$/, ''),
    step: Number.parseInt(parts[0] ?? '', 10),
    attempt: Number.parseInt(parts.at(-1) ?? '', 10),
  };
};
