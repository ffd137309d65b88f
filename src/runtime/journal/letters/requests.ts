import { systemClock } from '../../../contracts/clock.ts';
import { errorData, isTroupeError, TroupeError } from '../../../contracts/error.ts';
import type { JournalStore } from '../../../contracts/journal.ts';
import type { JournalRecord } from '../../../contracts/journal-record.ts';
import type { Listed } from '../../../contracts/listed.ts';
import { listed } from '../../../contracts/listed.ts';
import type { OpenRequest, RequestAnswer } from '../../../contracts/request.ts';
import { EXPIRED } from '../../../contracts/request.ts';
import type { RunOptions } from '../../../contracts/run.ts';
import { randomId } from '../../../contracts/random-id.ts';
import { redactorOf } from '../../../policy/redaction.ts';
import { givenSecrets, secretKeyOf } from '../../../policy/secret-key-of.ts';
import { misfitOf } from '../../people/person-words.ts';
import type { Said } from '../../people/request-book.ts';
import { RequestBook } from '../../people/request-book.ts';
import type { LetterContent } from './letters.ts';
import { bodyOf } from '../replay/recorded-event.ts';
import { recordsIn } from '../resume/stored-run.ts';

/** A request of a stored run, as anybody sees it who has the store. */
export type StoredRequest = OpenRequest & {
  readonly runId: string;
  /** Somebody answered, and the run has not taken that in yet: it is not running, or will at any moment. */
  readonly isAnswered: boolean;
};

/** How a stored request is answered. */
export interface AnswerOptions extends Pick<RunOptions, 'secrets' | 'secretKey'> {
  readonly now?: (() => number) | undefined;
}

/**
 * What waits for a person in a stored run, or in all runs of a store that have not ended: its whole team, and the agents that its tools
 * run. It takes nothing but the store: neither the agent's code, nor the process that runs it.
 *
 * Of all runs, one that cannot be read (damaged, or written by a later release) hides no other: it is left out, and named with the
 * reason in `unreadable`.
 *
 * @example
 * const open = await openRequests(store);
 * for (const { runId, id, path } of open) console.log(runId, id, path);
 * for (const { id, error } of open.unreadable) console.error(`run ${id}: ${error.message}`);
 *
 * @throws {TroupeError} `journal.unknown` for a run that there is not; `journal.corrupt`, `journal.version`.
 */
export const openRequests = async (store: JournalStore, runId?: string): Promise<Listed<StoredRequest>> => {
  if (runId !== undefined) return listed(await requestsOf(store, runId), []);
  const entries = await store.list({ status: ['running', 'waiting'] });
  const unreadable = [...(entries.unreadable ?? [])];
  const found = await Promise.all(
    entries.map(({ runId: id }) =>
      requestsOf(store, id).catch((thrown: unknown) => {
        // It was removed since it was listed: nobody waits for it any more.
        if (!isTroupeError(thrown, 'journal.unknown'))
          unreadable.push({ id, error: errorData(thrown, 'journal.failed', { message: UNREADABLE }) });
        return [];
      }),
    ),
  );
  return listed(
    found.flat().toSorted((a, b) => a.askedAt - b.askedAt),
    unreadable,
  );
};

const UNREADABLE = 'Cannot tell what the run waits for';

/** The requests that records leave open, oldest first: none where the run has ended. */
export const openRequestsOf = (records: readonly JournalRecord[]): readonly OpenRequest[] => {
  const book = new RequestBook();
  for (const record of records) {
    if (record.kind !== 'event') continue;
    if (record.event.type === 'run.ended') return [];
    book.heard(bodyOf(record.event), record.event);
  }
  return book.open;
};

/**
 * Answers a request of a stored run, wherever the run is: its process takes the answer in within a moment; a run that is not
 * running does when it is resumed. An answer is good for one request, and counts once.
 *
 * `input` is checked by the tool where the run is: arguments that do not fit leave the request open, and an event says so
 * (`answer.refused`). Until the run takes it in, it is kept with references to the secrets that are known here, and all of it sealed where there is
 * a `secretKey` (or `TROUPE_SECRET_KEY`): the same as the run's, else the run refuses it.
 *
 * @example
 * const [request] = await openRequests(store, 'run-17');
 * if (request !== undefined) await answerRequest(store, 'run-17', { id: request.id, yes: true });
 *
 * @throws {TroupeError} `request.unknown` where nobody waits for it (any more); `request.answered`; `request.expired`;
 * `input.invalid` where it does not fit, as a text for a call; `journal.unknown`.
 */
export const answerRequest = async (
  store: JournalStore,
  runId: string,
  answer: RequestAnswer,
  { now = () => systemClock.now(), ...known }: AnswerOptions = {},
): Promise<void> => {
  const { id } = answer;
  const open = await requestsOf(store, runId);
  const request = open.find((each) => each.id === id);
  const refuse = (
    code: 'request.unknown' | 'request.answered' | 'request.expired' | 'input.invalid',
    why: string,
  ) => new TroupeError(code, `Cannot answer request '${id}' of run '${runId}' as ${why}`, { runId });
  if (request === undefined) {
    const ids = open.filter(({ isAnswered }) => !isAnswered).map((each) => each.id);
    throw refuse(
      'request.unknown',
      `nobody waits for it: open ${ids.length === 0 ? 'are none' : `are ${ids.join(', ')}`}`,
    );
  }
  if (request.isAnswered) throw refuse('request.answered', 'it is answered already');
  const misfit = misfitOf(request, saidIn(answer));
  if (misfit !== undefined) throw refuse('input.invalid', misfit);
  const at = now();
  if (at >= (request.expiresAt ?? Infinity)) throw refuse('request.expired', EXPIRED);
  const { letterText } = await import('./sealed-letters.ts');
  const redactor = redactorOf(undefined, givenSecrets(known));
  const text = await letterText(letterOf(answer), runId, { redactor, key: secretKeyOf(known.secretKey) });
  await store.post({ id: randomId(), runId, at, text });
};

const requestsOf = async (store: JournalStore, runId: string): Promise<readonly StoredRequest[]> => {
  // One that was entered a moment ago has not begun.
  if ((await store.read(runId, 0, 1)).length === 0) return [];
  const { records } = await recordsIn(store, runId);
  const open = openRequestsOf(records);
  if (open.length === 0) return [];
  const { requestIn } = await import('./sealed-letters.ts');
  const answered = new Set((await store.letters(runId)).map(requestIn));
  return open.map((request) => ({ ...request, runId, isAnswered: answered.has(request.id) }));
};

const saidIn = (answer: RequestAnswer): Said => {
  if ('text' in answer) return { text: answer.text };
  return answer.yes
    ? { isApproved: true, ...(answer.input === undefined ? {} : { input: answer.input }) }
    : { isApproved: false };
};

const letterOf = (answer: RequestAnswer): LetterContent => {
  const { id } = answer;
  if ('text' in answer) return { kind: 'answer', id, text: answer.text };
  if (answer.yes)
    return { kind: 'approve', id, ...(answer.input === undefined ? {} : { input: answer.input }) };
  return { kind: 'deny', id, ...(answer.reason === undefined ? {} : { reason: answer.reason }) };
};
