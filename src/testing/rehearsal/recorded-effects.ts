import { canonical } from '../../base/json/canonical.ts';
import { toJson } from '../../base/json/json.ts';
import { fitsJson } from '../../base/json/fits-json.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import { toError } from '../../contracts/errors/error.ts';
import type { JournalRecord } from '../../contracts/journals/journal-record.ts';
import type { ModelAnswer, ModelRequest } from '../../contracts/models/model.ts';
import type { WholeRequest } from '../../runtime/log/sent-requests.ts';
import { SentRequests } from '../../runtime/log/sent-requests.ts';
import type { Cassette, RecordedAnswer, RecordedCall } from '../cassette.ts';
import { cassetteOf } from '../cassette.ts';
import { answerOf } from '../replay-model.ts';
import { playCall } from '../replay-tools.ts';
import { modelCallsIn, neverMade } from './recorded-asks.ts';

/** An answer on record, and the digest of what it answers. */
export interface AnsweredRequest {
  /** Without the run. */
  readonly key: string;
  readonly digest: string;
  readonly answer: RecordedAnswer;
}

/** The part that models, tools and people had in a run, by what they were asked. */
export interface Recording {
  readonly cassette: Cassette;
  readonly answered: readonly AnsweredRequest[];
  /** Answers of people, by question. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Reads the records of a run once, for any number of forks of it. */
export const recordingOf = (runId: string, records: readonly JournalRecord[]): Recording => {
  const cassette = cassetteOf(runId, records);
  return { cassette, answered: answeredRequests(cassette, records), texts: answersOfPeople(records) };
};

/**
 * Answers of models, tools and people in a run, found again by what they were asked: by whom and when does not matter, but of equal requests
 * each is given its own answer.
 */
export class RecordedEffects {
  readonly #answers = new Map<string, AnsweredRequest[]>();
  readonly #recording: Recording;
  /** Calls that were answered already; they are so again if no other is left. */
  readonly #used: Set<RecordedCall>;

  /** `shared` are the first records, which a fork has already. */
  constructor(recording: Recording, shared: readonly JournalRecord[] = []) {
    const { cassette, answered } = recording;
    const before = cassetteOf(cassette.runId, shared);
    this.#recording = recording;
    this.#used = new Set(
      [...cassette.calls].flatMap(([name, call]) => (before.calls.has(name) ? [call] : [])),
    );
    for (const found of answered) {
      const known = this.#answers.get(found.digest);
      if (known === undefined) this.#answers.set(found.digest, [found]);
      else known.push(found);
    }
    for (const answers of this.#answers.values())
      while (answers.length > 1 && answers[0] !== undefined && hasAnswer(before, answers[0])) answers.shift();
  }

  /** The answer to an equal request, of the call of that key or of another; undefined if none is on record. Throws if it failed. */
  answer(model: string, request: ModelRequest, key?: string): ModelAnswer | undefined {
    const found = this.#answers.get(requestDigest(model, request)) ?? [];
    const own = found.findIndex((each) => each.key === key);
    const index = Math.max(0, own);
    // Equal requests are answered in order, and the last answer stays.
    const next = found.length > 1 ? found.splice(index, 1)[0] : found[index];
    if (next === undefined) return undefined;
    const { answer } = next;
    if (answer.said === undefined) throw toError(answer.error ?? UNANSWERED);
    return answerOf(answer);
  }

  /** The result of an equal call, of that name or of another, as `play` returns or throws it; undefined if none is on record. */
  result(tool: string, input: unknown, name?: string): { readonly play: () => unknown } | undefined {
    const wanted = toJson(input);
    const isEqual = (call: RecordedCall): boolean => call.tool === tool && fitsJson(call.input, wanted);
    const { calls } = this.#recording.cassette;
    const own = name === undefined ? undefined : calls.get(name);
    const equal = own !== undefined && isEqual(own) ? [own] : [...calls.values()].filter(isEqual);
    const found = equal.find((call) => !this.#used.has(call)) ?? equal.at(-1);
    if (found === undefined) return undefined;
    this.#used.add(found);
    return { play: () => playCall(found) };
  }

  /** Checks whether an equal call was executed. */
  has(tool: string, input: unknown): boolean {
    const wanted = toJson(input);
    return [...this.#recording.cassette.calls.values()].some(
      (call) => call.tool === tool && fitsJson(call.input, wanted),
    );
  }

  /** A person's answer to an equal question. */
  text(question: string): string | undefined {
    return this.#recording.texts.get(question);
  }
}

const answersOfPeople = (records: readonly JournalRecord[]): ReadonlyMap<string, string> => {
  const questions = new Map<string, string>();
  const texts = new Map<string, string>();
  for (const record of records) {
    if (record.kind !== 'event') continue;
    const { event } = record;
    if (event.type === 'person.asked' && 'question' in event) questions.set(event.id, event.question);
    if (event.type !== 'person.answered') continue;
    const question = questions.get(event.id);
    if (question !== undefined) texts.set(question, event.text);
  }
  return texts;
};

/** The model calls of a run whose requests and outcomes are on record, in the order in which they were asked. */
const answeredRequests = (
  { answers, runId }: Cassette,
  records: readonly JournalRecord[],
): readonly AnsweredRequest[] => {
  const sent = new SentRequests();
  const asked = modelCallsIn(runId, records);
  const requests = new Map<string, WholeRequest | undefined>();
  for (const record of records) {
    if (record.kind !== 'arrived' || record.arrival.type !== 'sent') continue;
    const { key, path, request } = record.arrival;
    const call = asked.get(`${runId}/${key}`);
    const whole = sent.take({ ...(call ?? neverMade(key, path)), request });
    // One that was sent again by a later process is the same request.
    if (call !== undefined) requests.set(key, whole);
  }
  return [...requests].flatMap(([key, whole]) => {
    const answer = answers.get(key);
    if (whole === undefined || answer === undefined || (answer.said ?? answer.error) === undefined) return [];
    const turns = whole.messages.map(({ turn }) => turn);
    return [{ key, digest: digestOf(whole.model, whole, turns), answer }];
  });
};

const hasAnswer = ({ answers }: Cassette, { key }: AnsweredRequest): boolean =>
  answers.get(key)?.said !== undefined;

const UNANSWERED = {
  code: 'model.failed',
  message: 'The recorded call has no answer',
  retryable: 'no',
} as const;

const hashes = new WeakMap<Turn, string>();

const hashOf = (turn: Turn): string => {
  let hash = hashes.get(turn);
  if (hash === undefined) hashes.set(turn, (hash = sha256(canonical(toJson(turn)))));
  return hash;
};

/** The digest of what a model is sent: equal for equal requests. */
export const requestDigest = (model: string, request: ModelRequest): string =>
  digestOf(model, request, request.messages);

const digestOf = (
  model: string,
  { instructions, tools, output, toolChoice, settings }: Omit<ModelRequest, 'messages'>,
  turns: Iterable<Turn>,
): string =>
  sha256(
    canonical(
      toJson({ model, instructions, tools, output, toolChoice, settings, turns: [...turns].map(hashOf) }),
    ),
  );
