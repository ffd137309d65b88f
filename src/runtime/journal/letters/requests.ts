import { systemClock } from '../../../base/clock.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { errorData, isTroupeError, TroupeError } from '../../../contracts/errors/error.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import type { JournalRecord } from '../../../contracts/journals/journal-record.ts';
import type { Listed } from '../../../contracts/errors/listed.ts';
import { listWith } from '../../../contracts/errors/listed.ts';
import { byOf, checkCallAnswer, checkTextAnswer } from '../../../contracts/people/check-answer.ts';
import type { OpenRequest, RequestAnswer } from '../../../contracts/people/request.ts';
import { EXPIRED } from '../../../contracts/people/request.ts';
import type { RunOptions } from '../../../contracts/runs/run-options.ts';
import { randomId } from '../../../base/random-id.ts';
import { redactorOf } from '../../../policy/redaction.ts';
import { givenSecrets, secretKeyOf } from '../../../policy/secret-key-of.ts';
import { unmetTerms, withApprover } from '../../../contracts/people/approval-terms.ts';
import { answersWanted, forbiddenTo, misfitOf } from '../../people/person-words.ts';
import type { PersonAnswer } from '../../people/request-book.ts';
import { RequestBook } from '../../people/request-book.ts';
import type { LetterContent } from './letters.ts';
import type { PostedAnswer } from './sealed-letters.ts';
import { bodyOf } from '../replay/recorded-event.ts';
import { recordsIn } from '../resume/stored-run.ts';

/** A request of a stored run, as seen by anyone with access to the store. */
export type StoredRequest = OpenRequest & {
  readonly runId: string;
  /** An answer was posted that the run has not processed yet; of several people who must approve, that of each. */
  readonly isAnswered: boolean;
};

/** Options of {@link answerRequest}. */
export interface AnswerOptions extends Pick<RunOptions, 'secrets' | 'secretKey'> {
  readonly now?: (() => number) | undefined;
}

/**
 * Lists the open requests for people of a stored run, or of all unfinished runs of a store, including those of teams and of agents run by
 * tools. Needs only the store: neither the agents' code nor a running process.
 *
 * Of all runs, one that cannot be read (damaged, or written by a later release) does not hide the others: it is left out, and named with
 * the reason in `unreadable`.
 *
 * @example
 * const open = await openRequests(store);
 * for (const { runId, id, path } of open) console.log(runId, id, path);
 * for (const { id, error } of open.unreadable) console.error(`run ${id}: ${error.message}`);
 *
 * @throws {TroupeError} `journal.unknown` for a run that there is not; `journal.corrupt`, `journal.version`.
 */
export const openRequests = async (store: JournalStore, runId?: string): Promise<Listed<StoredRequest>> => {
  if (runId !== undefined) return listWith(await requestsOf(store, runId), []);
  const entries = await store.list({ status: ['running', 'waiting'] });
  const unreadable = [...(entries.unreadable ?? [])];
  const found = await Promise.all(
    entries.map(({ runId: id }) =>
      requestsOf(store, id).catch((thrown: unknown) => {
        // Removed since it was listed: nothing waits for it any more.
        if (!isTroupeError(thrown, 'journal.unknown'))
          unreadable.push({ id, error: errorData(thrown, 'journal.failed', { message: UNREADABLE }) });
        return [];
      }),
    ),
  );
  return listWith(
    found.flat().toSorted((a, b) => a.askedAt - b.askedAt),
    unreadable,
  );
};

const UNREADABLE = 'Cannot read the requests of the run';

/** The open requests in the records, oldest first; none if the run has ended. */
export const openRequestsOf = (records: readonly JournalRecord[]): readonly OpenRequest[] => {
  const requests = new RecordedRequests();
  requests.take(records);
  return requests.open;
};

/** The requests in the records of a run, as they come. */
export class RecordedRequests {
  readonly #book = new RequestBook();
  #isOver = false;

  /** The open ones, oldest first; none if the run has ended. */
  get open(): readonly OpenRequest[] {
    return this.#isOver ? [] : this.#book.open;
  }

  take(records: readonly JournalRecord[]): void {
    for (const record of records) {
      if (record.kind !== 'event') continue;
      if (record.event.type === 'run.ended') this.#isOver = true;
      this.#book.heard(bodyOf(record.event), record.event);
    }
  }
}

/**
 * Answers a request of a stored run, wherever it runs: its process receives the answer within a moment; a run that is not running, when it
 * is resumed. An answer is for one request, and counts once.
 *
 * The tool checks `input` where the run is: invalid arguments leave the request open, and an event says so (`answer.refused`). Until the
 * run receives it, the answer is stored with references to the secrets known here, and sealed if there is a `secretKey` (or
 * `TROUPE_SECRET_KEY`), which has to be the run's, otherwise the run refuses it.
 *
 * @example
 * const [request] = await openRequests(store, 'run-17');
 * if (request !== undefined) await answerRequest(store, 'run-17', { id: request.id, yes: true });
 *
 * @throws {TroupeError} `request.unknown` where nobody waits for it (any more); `request.answered`; `request.expired`;
 * `request.forbidden` for an approval by a person without the role that the request names, or who has given theirs;
 * `input.invalid` where it does not fit, as a text for a call; `journal.unknown`.
 */
export const answerRequest = async (
  store: JournalStore,
  runId: string,
  answer: RequestAnswer,
  { now = () => systemClock.now(), ...known }: AnswerOptions = {},
): Promise<void> => {
  // From JavaScript anything may come.
  if (isJsonObject(answer) && 'text' in answer) checkTextAnswer(answer);
  else checkCallAnswer(answer);
  const { id } = answer;
  const open = await requestsOf(store, runId);
  const request = open.find((each) => each.id === id);
  const refuse = (
    code: 'request.unknown' | 'request.answered' | 'request.expired' | 'request.forbidden' | 'input.invalid',
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
  const misfit = misfitOf(request, answerOf(answer));
  if (misfit !== undefined) throw refuse('input.invalid', misfit);
  const forbidden = forbiddenTo(request, answerOf(answer));
  if (forbidden !== undefined) throw refuse('request.forbidden', forbidden);
  const at = now();
  if (at >= (request.expiresAt ?? Infinity)) throw refuse('request.expired', EXPIRED);
  const { letterText } = await import('./sealed-letters.ts');
  const redactor = redactorOf(undefined, givenSecrets(known));
  const text = await letterText(letterOf(answer), runId, { redactor, key: secretKeyOf(known.secretKey) });
  await store.post({ id: randomId(), runId, at, text });
};

const requestsOf = async (store: JournalStore, runId: string): Promise<readonly StoredRequest[]> => {
  // A run created a moment ago has no records yet.
  if ((await store.read(runId, 0, 1)).length === 0) return [];
  const { records } = await recordsIn(store, runId);
  return withAnswers(store, runId, openRequestsOf(records));
};

/** Open requests of a stored run, with the answers that were posted for them and that the run has not read yet. */
export const withAnswers = async (
  store: JournalStore,
  runId: string,
  open: readonly OpenRequest[],
): Promise<readonly StoredRequest[]> => {
  if (open.length === 0) return [];
  const { answerIn } = await import('./sealed-letters.ts');
  const posted = (await store.letters(runId)).flatMap((letter) => answerIn(letter) ?? []);
  return open.map((request) => ({
    ...withPosted(
      request,
      posted.filter(({ id }) => id === request.id),
    ),
    runId,
  }));
};

/** A request with the answers that were posted for it: who has approved counts once, also before the run knows. */
const withPosted = (
  request: OpenRequest,
  posted: readonly PostedAnswer[],
): OpenRequest & { readonly isAnswered: boolean } => {
  if (request.kind === 'question' || answersWanted(request) < 2)
    return { ...request, isAnswered: posted.length > 0 };
  const approving = posted.flatMap(({ by }) => by ?? []);
  const approvedBy = approving.reduce(withApprover, request.approvedBy ?? []);
  // Of a sealed answer nobody can tell here what it says.
  const others = posted.length - approving.length;
  return {
    ...request,
    ...(approvedBy.length === 0 ? {} : { approvedBy }),
    isAnswered:
      unmetTerms(request, approvedBy).length === 0 ||
      others >= answersWanted(request) ||
      posted.some(({ isDenied }) => isDenied),
  };
};

const answerOf = (answer: RequestAnswer): PersonAnswer => {
  if ('text' in answer) return { text: answer.text };
  return answer.yes
    ? {
        isApproved: true,
        ...(answer.input === undefined ? {} : { input: answer.input }),
        ...byOf(answer.by),
      }
    : { isApproved: false };
};

const letterOf = (answer: RequestAnswer): LetterContent => {
  const { id } = answer;
  if ('text' in answer) return { kind: 'answer', id, text: answer.text };
  if (answer.yes)
    return {
      kind: 'approve',
      id,
      ...(answer.input === undefined ? {} : { input: answer.input }),
      ...byOf(answer.by),
    };
  return {
    kind: 'deny',
    id,
    ...(answer.reason === undefined ? {} : { reason: answer.reason }),
    ...byOf(answer.by),
  };
};
