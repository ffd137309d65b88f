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

/** Answers of models, tools and people in a run, found again by what they were asked: by whom and when does not matter. */
export class RecordedEffects {
  readonly #answers = new Map<string, RecordedAnswer[]>();
  readonly #calls: readonly RecordedCall[];
  /** Calls that were answered already; they are so again if no other is left. */
  readonly #used: Set<RecordedCall>;
  readonly #texts = new Map<string, string>();

  /** `shared` are the first records, which a fork has already. */
  constructor(runId: string, records: readonly JournalRecord[], shared: readonly JournalRecord[] = []) {
    const cassette = cassetteOf(runId, records);
    const before = cassetteOf(runId, shared);
    this.#calls = [...cassette.calls.values()];
    this.#used = new Set(
      [...cassette.calls].flatMap(([name, call]) => (before.calls.has(name) ? [call] : [])),
    );
    this.#takeAnswers(cassette, records);
    for (const answers of this.#answers.values())
      while (answers.length > 1 && answers[0] !== undefined && hasAnswer(before, answers[0])) answers.shift();
    this.#takeTexts(records);
  }

  /** The answer to an equal request; undefined if none is on record. Throws if it failed. */
  answer(model: string, request: ModelRequest): ModelAnswer | undefined {
    const found = this.#answers.get(digestOf(model, request, request.messages));
    // Equal requests are answered in order, and the last answer stays.
    const next = found !== undefined && found.length > 1 ? found.shift() : found?.[0];
    if (next === undefined) return undefined;
    if (next.said === undefined) throw toError(next.error ?? UNANSWERED);
    return answerOf(next);
  }

  /** The result of an equal call, as `play` returns or throws it; undefined if none is on record. */
  result(tool: string, input: unknown): { readonly play: () => unknown } | undefined {
    const wanted = toJson(input);
    const equal = this.#calls.filter((call) => call.tool === tool && fitsJson(call.input, wanted));
    const found = equal.find((call) => !this.#used.has(call)) ?? equal.at(-1);
    if (found === undefined) return undefined;
    this.#used.add(found);
    return { play: () => playCall(found) };
  }

  /** Checks whether an equal call was executed. */
  has(tool: string, input: unknown): boolean {
    const wanted = toJson(input);
    return this.#calls.some((call) => call.tool === tool && fitsJson(call.input, wanted));
  }

  /** A person's answer to an equal question. */
  text(question: string): string | undefined {
    return this.#texts.get(question);
  }

  #takeAnswers({ answers, runId }: Cassette, records: readonly JournalRecord[]): void {
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
    for (const [key, whole] of requests) {
      const answer = answers.get(key);
      if (whole === undefined || answer === undefined || (answer.said ?? answer.error) === undefined)
        continue;
      const turns = whole.messages.map(({ turn }) => turn);
      const digest = digestOf(whole.model, whole, turns);
      const known = this.#answers.get(digest);
      if (known === undefined) this.#answers.set(digest, [answer]);
      else known.push(answer);
    }
  }

  #takeTexts(records: readonly JournalRecord[]): void {
    const questions = new Map<string, string>();
    for (const record of records) {
      if (record.kind !== 'event') continue;
      const { event } = record;
      if (event.type === 'person.asked' && 'question' in event) questions.set(event.id, event.question);
      if (event.type !== 'person.answered') continue;
      const question = questions.get(event.id);
      if (question !== undefined) this.#texts.set(question, event.text);
    }
  }
}

const hasAnswer = ({ answers }: Cassette, { said }: RecordedAnswer): boolean =>
  said !== undefined && answers.get(said.key.slice(said.key.indexOf('/') + 1))?.said !== undefined;

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
