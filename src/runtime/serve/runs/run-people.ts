import type { Clock } from '../../../base/clock.ts';
import { randomId } from '../../../base/random-id.ts';
import type { Json } from '../../../base/json/json.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import { byOf } from '../../../contracts/people/check-answer.ts';
import type { OpenRequest, RequestAnswer } from '../../../contracts/people/request.ts';
import { EXPIRED } from '../../../contracts/people/request.ts';
import type { RemoteRequest } from '../../../contracts/runs/remote-run.ts';
import type { Redactor } from '../../../contracts/secrets/redactor.ts';
import { secretKeyOf } from '../../../policy/secret-key-of.ts';
import type { LetterContent } from '../../journal/letters/letters.ts';
import { answerRequest, openRequestsOf, withAnswers } from '../../journal/letters/requests.ts';
import { misfitOf } from '../../people/person-words.ts';
import type { PersonAnswer } from '../../people/request-book.ts';
import type { Caller, ServedRunOptions } from '../serve-options.ts';
import type { LiveRun } from './live-run.ts';
import { StoredRecords } from './stored-events.ts';

/** An answer of a caller, before the server vouches for who gives it. */
export type GivenAnswer =
  | { readonly yes: true; readonly input?: Json | undefined }
  | { readonly yes: false; readonly reason?: string | undefined }
  | { readonly text: string };

/** The open requests of a run of this process, oldest first. */
export const requestsHere = (run: LiveRun, redactor: Redactor): readonly RemoteRequest[] =>
  run.requests.map((request) => ({ ...redactor.value(request), runId: run.runId }));

/** The open requests of a run that the store has, oldest first. */
export const requestsStored = async (
  store: JournalStore,
  runId: string,
  redactor: Redactor,
): Promise<readonly RemoteRequest[]> => {
  const open = openRequestsOf(await new StoredRecords(store, runId).all());
  return (await withAnswers(store, runId, open)).map((request) => redactor.value(request));
};

/** The answer to a request with the person who gives it, as the server vouches for them. */
export const answerOf = (id: string, given: GivenAnswer, { who, roles }: Caller): RequestAnswer => {
  if ('text' in given) return { id, text: given.text };
  const by = byOf({ name: who, ...(roles === undefined ? {} : { roles }) });
  return given.yes
    ? { id, yes: true, input: given.input, ...by }
    : { id, yes: false, reason: given.reason, ...by };
};

/**
 * Answers a request of a run of this process.
 *
 * @throws {TroupeError} `request.unknown`, `request.expired`; `request.forbidden`; `input.invalid` for an answer that does not fit the
 * request, or changed arguments that do not fit the tool.
 */
export const answerHere = (run: LiveRun, answer: RequestAnswer, clock: Clock): void => {
  const { handle, runId } = run;
  const { id } = answer;
  // By the id of the request alone: one of a call may be open twice.
  const request = handle.requests.find((each) => each.id === id);
  if (request === undefined)
    throw new TroupeError('request.unknown', 'Cannot answer the request as nobody waits for it', { runId });
  const misfit = misfitOf(request, meant(answer));
  if (misfit !== undefined)
    throw new TroupeError('input.invalid', `Cannot answer the request as ${misfit}`, { runId });
  if (isTaken(run, answer)) return;
  throw refusalOf(request, runId, clock);
};

const isTaken = ({ handle }: LiveRun, answer: RequestAnswer): boolean => {
  const { id } = answer;
  if ('text' in answer) return handle.reply(answer.text, id);
  if (answer.yes) return handle.approve(id, { input: answer.input, by: answer.by });
  return handle.deny(id, answer.reason, { by: answer.by });
};

const refusalOf = ({ expiresAt = Infinity }: OpenRequest, runId: string, clock: Clock): TroupeError =>
  expiresAt <= clock.now()
    ? new TroupeError('request.expired', `Cannot answer the request as ${EXPIRED}`, { runId })
    : new TroupeError(
        'input.invalid',
        'Cannot answer the request as its tool does not take these arguments',
        {
          runId,
        },
      );

const meant = (answer: RequestAnswer): PersonAnswer => {
  if ('text' in answer) return { text: answer.text };
  return answer.yes
    ? { isApproved: true, ...(answer.input === undefined ? {} : { input: answer.input }), ...byOf(answer.by) }
    : { isApproved: false };
};

/** Answers a request of a run that another process has: it validates changed arguments, and leaves the request open if they do not fit. */
export const answerElsewhere = (
  store: JournalStore,
  runId: string,
  answer: RequestAnswer,
  { secrets, secretKey }: ServedRunOptions,
): Promise<void> =>
  answerRequest(store, runId, answer, {
    ...(secrets === undefined ? {} : { secrets }),
    ...(secretKey === undefined ? {} : { secretKey }),
  });

/** Sends a letter to a run that another process has. */
export const sendLetter = async (
  store: JournalStore,
  runId: string,
  content: LetterContent,
  {
    redactor,
    secretKey,
    clock,
  }: Pick<ServedRunOptions, 'secretKey'> & {
    readonly redactor: Redactor;
    readonly clock: Clock;
  },
): Promise<void> => {
  const { letterText } = await import('../../journal/letters/sealed-letters.ts');
  const text = await letterText(content, runId, { redactor, key: secretKeyOf(secretKey) });
  await store.post({ id: randomId(), runId, at: clock.now(), text });
};
