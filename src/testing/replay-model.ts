import { toError } from '../contracts/errors/error.ts';
import type { Json } from '../base/json/json.ts';
import type { Model, ModelAnswer, ModelRequest } from '../contracts/models/model.ts';
import { finishReasons } from '../contracts/models/model.ts';
import { DeterminismError } from '../runtime/journal/replay/determinism-error.ts';
import type { Cassette, RecordedAnswer } from './cassette.ts';
import { cassetteFrom } from './cassette.ts';

/** A replay from a recording that can check whether all of it was used. */
export interface Replaying {
  /** Throws {@link DeterminismError} for recorded entries that were not requested. */
  readonly assertReplayed: () => void;
}

/**
 * A model that replays the answers of a recorded run, from its exported journal or its trace: by agent, step and attempt, in any order of agents.
 *
 * It is strict: a request that is not on record, or whose agent has other instructions or another number of messages,
 * fails with `journal.diverged`. The run may have another id; agents and steps must be the same.
 *
 * @example
 * const model = replayModel('test/recordings/refund.jsonl');
 * const { output } = await clerk.run('…', { model });
 * model.assertReplayed();
 *
 * @throws {TroupeError} `journal.failed` where the file cannot be read; `journal.corrupt`, `journal.version`.
 */
export const replayModel = (file: string): Model & Replaying => {
  const cassette = cassetteFrom(file);
  const left = new Set(cassette.answers.keys());
  const [first] = cassette.answers.values();
  const [provider = 'replay', ...id] = (first?.model ?? '').split(':');
  return {
    provider,
    id: id.join(':'),
    isLanguageModel: false,
    takes: { media: ['*'], links: ['*'] },
    answer: (request, { key }) => {
      const place = key.slice(key.indexOf('/') + 1);
      const recorded = cassette.answers.get(place);
      if (recorded === undefined) throw unaskedError(cassette, place);
      checkRequest(cassette, recorded, request);
      left.delete(place);
      if (recorded.said === undefined && recorded.error !== undefined) throw toError(recorded.error);
      return answerOf(recorded);
    },
    assertReplayed: () => {
      for (const key of left) throw leftOver(cassette, `model call ${key}`);
    },
  };
};

const unaskedError = ({ runId }: Cassette, key: string): DeterminismError =>
  new DeterminismError({ runId, path: key.split('#')[0] ?? '', expected: null, found: { asked: key } });

/** Creates the error for a recorded entry that was not requested. */
export const leftOver = ({ runId }: Cassette, what: string): DeterminismError =>
  new DeterminismError({ runId, path: what, expected: what, found: null });

const checkRequest = (
  { runId, prompts }: Cassette,
  { path, step, messages }: RecordedAnswer,
  request: ModelRequest,
): void => {
  const place = { runId, path, step };
  const instructions = prompts.get(path);
  if (instructions !== undefined && instructions !== request.instructions)
    throw new DeterminismError({
      ...place,
      expected: { instructions },
      found: { instructions: request.instructions },
    });
  if (messages !== request.messages.length)
    throw new DeterminismError({ ...place, expected: { messages }, found: { messages: lastOf(request) } });
};

const lastOf = ({ messages }: ModelRequest): Json => ({
  count: messages.length,
  last: messages.at(-1)?.text ?? null,
});

/** The recorded answer, as its model gave it. */
export const answerOf = ({ said, raw }: RecordedAnswer): ModelAnswer => ({
  text: said?.text ?? '',
  ...(said?.reasoning === undefined ? {} : { reasoning: said.reasoning }),
  calls: raw.calls ?? [],
  finish: finishOf(said?.finish),
  usage: said?.usage ?? { input: 0, output: 0 },
  ...(said?.providerCalls === undefined ? {} : { providerCalls: said.providerCalls }),
  ...(said?.omitted === undefined ? {} : { omitted: said.omitted }),
  ...(raw.replay === undefined ? {} : { replay: raw.replay }),
});

const finishOf = (found: string | undefined): ModelAnswer['finish'] =>
  finishReasons.find((each) => each === found) ?? 'other';
