import { canonical } from '../../base/json/canonical.ts';
import { toJson } from '../../base/json/json.ts';
import type { ModelAnswer } from '../../contracts/models/model.ts';
import { recordsIn } from '../../runtime/journal/resume/stored-run.ts';
import type { RecordedCall } from '../cassette.ts';
import { recordingOf } from '../rehearsal/recorded-effects.ts';
import { answerOf } from '../replay-model.ts';
import { playCall } from '../replay-tools.ts';
import type { BlameOptions } from './blame-options.ts';

/** Other answers to what a run asked, from other runs of the store: each once. */
export class Alternatives {
  readonly #answers = new Map<string, Map<string, ModelAnswer>>();
  readonly #results = new Map<string, Map<string, RecordedCall>>();

  /** Reads the newest other runs of an agent. One that cannot be read has nothing to give. */
  static async in(
    { store, runId, limit = READ, secrets, secretKey }: BlameOptions,
    agent: string,
  ): Promise<Alternatives> {
    const found = new Alternatives();
    const others = (await store.list()).filter((entry) => entry.agent === agent && entry.runId !== runId);
    for (const other of others.slice(0, limit)) {
      const read = await recordsIn(store, other.runId, { secrets, secretKey }).catch(() => undefined);
      if (read === undefined) continue;
      const { cassette, answered } = recordingOf(other.runId, read.records);
      for (const { digest, answer } of answered)
        if (answer.said !== undefined) found.#addAnswer(digest, answerOf(answer));
      for (const call of cassette.calls.values()) if (call.result !== undefined) found.#addResult(call);
    }
    return found;
  }

  /** Answers to an equal request, but for one of the same words. */
  answers(digest: string, but?: Pick<ModelAnswer, 'text' | 'calls'>): readonly ModelAnswer[] {
    const same = but && wordsOf(but);
    const known = this.#answers.get(digest) ?? new Map<string, ModelAnswer>();
    return [...known].flatMap(([words, answer]) => (words === same ? [] : [answer]));
  }

  /** Results of an equal call with another text, each as it is returned or thrown. */
  results(tool: string, input: unknown, text: string): readonly (() => unknown)[] {
    const known = this.#results.get(callOf(tool, input)) ?? new Map<string, RecordedCall>();
    return [...known].flatMap(([words, call]) => (words === text ? [] : [() => playCall(call)]));
  }

  #addAnswer(digest: string, answer: ModelAnswer): void {
    const known = this.#answers.get(digest) ?? new Map<string, ModelAnswer>();
    known.set(wordsOf(answer), answer);
    this.#answers.set(digest, known);
  }

  #addResult(call: RecordedCall): void {
    const key = callOf(call.tool, call.input);
    const known = this.#results.get(key) ?? new Map<string, RecordedCall>();
    known.set(call.result?.text ?? '', call);
    this.#results.set(key, known);
  }
}

/** Runs that are read by default. */
const READ = 100;

const wordsOf = ({ text, calls }: Pick<ModelAnswer, 'text' | 'calls'>): string =>
  JSON.stringify([text, calls.map(({ name, input }) => [name, input])]);

const callOf = (tool: string, input: unknown): string => canonical(toJson([tool, toJson(input)]));
