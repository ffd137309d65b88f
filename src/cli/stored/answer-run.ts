import { isTroupeError, TroupeError } from '../../contracts/error.ts';
import type { RunEntry } from '../../contracts/journal.ts';
import type { RequestAnswer } from '../../contracts/request.ts';
import { answerRequest } from '../../runtime/journal/requests.ts';
import type { AnswerCommand } from '../command-read.ts';
import { exitCode } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { findRun } from './find-run.ts';
import { assertFree } from './lease.ts';
import type { WaitingRequest } from './open-requests.ts';
import { foldRequests, requestId, requestWords } from './open-requests.ts';
import { withStore } from './open-store.ts';
import { resumeHere } from './resume.ts';
import { readStoredRun } from './stored-run.ts';

/** `troupe approve`, `deny` and `answer`: what a person says to a run that waits, here or in another process. */
export const answerRun = (wanted: AnswerCommand, session: Session): Promise<number> =>
  withStore(session, async (opened) => {
    const { store, option } = opened;
    const entry = await findRun(store, wanted.runId);
    const { runId } = entry;
    const { events } = await readStoredRun(store, entry);
    const request = chosen(events.reduce<readonly WaitingRequest[]>(foldRequests, []), wanted, entry);
    await answerRequest(store, runId, answerTo(request, wanted));
    const isFree = await isFreeNow(opened.store, runId);
    const next = isFree
      ? wanted.isResumed
        ? ''
        : ` · no process has the run: troupe resume ${runId}${option}`
      : ' · the process that has the run goes on';
    say(`${SAID[wanted.name]} ${requestWords(request)}${next}`, session);
    if (!wanted.isResumed || !isFree) return exitCode.answered;
    const code = { file: undefined, exportName: undefined };
    return resumeHere({ runId, code, isParked: false }, opened, session);
  });

const SAID = { approve: 'Approved:', deny: 'Denied:', answer: 'Answered:' } as const;

/** The request that is meant: the only one of its kind, or the one that is named. */
const chosen = (
  open: readonly WaitingRequest[],
  { name, request }: AnswerCommand,
  { runId, status }: RunEntry,
): WaitingRequest => {
  const kind = name === 'answer' ? 'question' : 'approval';
  const waiting = open.filter((each) => each.kind === kind);
  const named =
    request === undefined ? waiting : waiting.filter((each) => requestId(each).startsWith(request));
  const [only, ...more] = named;
  const cannot = (reason: string): TroupeError =>
    new TroupeError('command.usage', `Cannot ${name} as ${reason}`, { runId });
  if (only === undefined) {
    const what = kind === 'question' ? 'asks no question' : 'waits for no yes';
    const which =
      request === undefined || waiting.length === 0 ? '' : ` of that name: it has ${idsOf(waiting)}`;
    throw cannot(`run '${runId}' ${what}${which === '' ? `: it is ${status}` : which}`);
  }
  if (more.length > 0) throw cannot(`run '${runId}' waits for several: name one of ${idsOf(named)}`);
  return only;
};

const idsOf = (requests: readonly WaitingRequest[]): string =>
  requests.map((request) => `${requestId(request)} (${requestWords(request)})`).join(', ');

const answerTo = ({ id, kind }: WaitingRequest, { name, text }: AnswerCommand): RequestAnswer => {
  if (kind === 'question') return { id, text: text ?? '' };
  return name === 'approve'
    ? { id, yes: true }
    : { id, yes: false, ...(text === undefined ? {} : { reason: text }) };
};

const isFreeNow = async (...where: Parameters<typeof assertFree>): Promise<boolean> => {
  try {
    await assertFree(...where);
    return true;
  } catch (thrown) {
    if (isTroupeError(thrown, 'journal.held')) return false;
    throw thrown;
  }
};

const say = (line: string, { terminal, settings }: Session): void => {
  if (!settings.json && !settings.quiet) terminal.stderr.write(`${line}\n`);
};
