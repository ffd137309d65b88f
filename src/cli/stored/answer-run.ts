import { oneLine } from '../../base/text/printable.ts';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { RunEntry } from '../../contracts/journals/journal.ts';
import type { Json } from '../../base/json/json.ts';
import { byOf } from '../../contracts/people/check-answer.ts';
import { needsNames, unmetTerms, withApprover } from '../../contracts/people/approval-terms.ts';
import type { RequestAnswer } from '../../contracts/people/request.ts';
import type { StoredRequest } from '../../runtime/journal/letters/requests.ts';
import { answerRequest, openRequests } from '../../runtime/journal/letters/requests.ts';
import { heldRuns } from '../../runtime/journal/resume/left-running.ts';
import type { AnswerCommand } from '../usage/commands.ts';
import { exitCode } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { commandOf } from './command-record.ts';
import { findRun } from './find-run.ts';
import type { OpenStore } from './open-store.ts';
import { withStore } from './open-store.ts';
import { nameOption } from '../usage/name-option.ts';
import { approvalsSoFar, requestName, requestWords } from './request-words.ts';
import { resumeHere } from './resume.ts';
import { jsonLine } from './run-words.ts';

/** `troupe approve`, `deny` and `answer`: answer a waiting run, here or in another process. */
export const answerRun = (wanted: AnswerCommand, session: Session): Promise<number> => {
  const input = wanted.input === undefined ? undefined : jsonIn(wanted.input);
  return withStore(session, async (opened) => {
    const { store } = opened;
    const entry = await findRun(store, wanted.runId);
    const { runId } = entry;
    const request = chooseRequest(await openRequests(store, runId), wanted, entry);
    await answerRequest(store, runId, answerFor(request.id, wanted, input)).catch((thrown: unknown) => {
      throw input === undefined
        ? thrown
        : nameOption(thrown, ['input.invalid', 'tool.input-invalid'], '--input');
    });
    const isNobodys = !(await heldRuns(store)).has(runId);
    const isRecorded = (await commandOf(store, runId)) !== undefined;
    const known = withAnswer(request, wanted);
    const soFar = wanted.name === 'approve' ? approvalsSoFar(known) : '';
    const isOpen = isUnmet(known, wanted);
    const run = { runId, isNobodys, isRecorded, isOpen };
    const did = `${SAID[wanted.name]}${soFar === '' ? '' : ` (${soFar})`}`;
    tell(`${did}: ${requestWords(known)}`, wanted, run, opened, session);
    if (!wanted.isResumed || !isNobodys) {
      const said = { runId, request: request.id, answer: wanted.name, isOpen, isHeld: !isNobodys };
      if (session.settings.json) session.terminal.stdout.write(jsonLine(said));
      return exitCode.answered;
    }
    if (!isRecorded) throw unknownAgent(wanted, runId, opened, session);
    const code = { file: undefined, exportName: undefined };
    return resumeHere({ runId, code, isParked: false }, opened, session);
  });
};

/** A run that no command started names no module: what was said is on record, and the run is resumed by another command. */
const unknownAgent = (
  { name }: AnswerCommand,
  runId: string,
  { option }: OpenStore,
  { command }: Session,
): TroupeError =>
  new TroupeError(
    'command.usage',
    `Cannot resume run '${runId}' here as no command started it, so its agent is not known: it is ${SAID[name].toLowerCase()}, and a worker or server of its agent continues it; or resume it with the module that exports its agent: ${command} resume ${runId}${option} --agent FILE`,
    { runId },
  );

/** The request with the approval that was just given. */
const withAnswer = (request: StoredRequest, { name, by }: AnswerCommand): StoredRequest =>
  request.kind === 'question' || name !== 'approve' || by === undefined
    ? request
    : { ...request, approvedBy: withApprover(request.approvedBy ?? [], by) };

/** True while further people have to approve it. */
const isUnmet = (request: StoredRequest, { name }: AnswerCommand): boolean =>
  request.kind !== 'question' &&
  name === 'approve' &&
  needsNames(request) &&
  unmetTerms(request, request.approvedBy ?? []).length > 0;

const SAID = { approve: 'Approved', deny: 'Denied', answer: 'Answered' } as const;

/** Selects the request: the only one of its kind, or the named one. */
const chooseRequest = (
  open: readonly StoredRequest[],
  { name, request }: AnswerCommand,
  { runId, status }: RunEntry,
): StoredRequest => {
  const waiting = open.filter(
    ({ kind, isAnswered }) => !isAnswered && (kind === 'question') === (name === 'answer'),
  );
  const named = waiting.filter(({ id }) => request === undefined || id.startsWith(request));
  const [only, ...more] = named;
  if (only !== undefined && more.length === 0) return only;
  const cannot = (reason: string): TroupeError =>
    new TroupeError('command.usage', `Cannot ${name} as ${reason}`, { runId });
  if (only !== undefined) throw cannot(`run '${runId}' waits for several: name one of ${namesOf(named)}`);
  if (waiting.length > 0)
    throw cannot(
      `run '${runId}' waits for no ${name === 'answer' ? '--request' : 'request'} '${request}': it waits for ${namesOf(waiting)}`,
    );
  const what = name === 'answer' ? 'asks nothing' : 'waits for no approval';
  const when = open.length > 0 ? ' that is not answered already' : `: it is ${status}`;
  throw cannot(`run '${runId}' ${what}${when}`);
};

const namesOf = (requests: readonly StoredRequest[]): string =>
  requests.map((request) => `${requestName(request)} (${requestWords(request)})`).join(', ');

const answerFor = (
  id: string,
  { name, text = '', by }: AnswerCommand,
  input: Json | undefined,
): RequestAnswer => {
  switch (name) {
    case 'approve':
      return { id, yes: true, ...(input === undefined ? {} : { input }), ...byOf(by) };
    case 'deny':
      return { id, yes: false, ...(text === '' ? {} : { reason: text }), ...byOf(by) };
    case 'answer':
      return { id, text };
  }
};

const jsonIn = (given: string): Json => {
  try {
    // Parsed JSON is JSON.
    return JSON.parse(given) as Json;
  } catch (thrown) {
    throw new TroupeError(
      'command.usage',
      `Cannot approve as --input is not JSON: found '${oneLine(given, 80)}' (${messageOf(thrown)}). Quote it, such as '{"to": "Ada"}'`,
    );
  }
};

/** An answered run, with the options for resuming it. */
interface AnsweredRun {
  readonly runId: string;
  readonly isNobodys: boolean;
  readonly isRecorded: boolean;
  /** Further people have to approve. */
  readonly isOpen: boolean;
}

const tell = (
  line: string,
  { isResumed }: AnswerCommand,
  { runId, isNobodys, isRecorded, isOpen }: AnsweredRun,
  { option }: OpenStore,
  { terminal, settings, command }: Session,
): void => {
  if (settings.json || settings.quiet) return;
  const resume = `${command} resume ${runId}${option}`;
  // A run that no command started is of a server, or of workers, which look for answers of runs that no process has.
  const how = isRecorded ? resume : 'a worker or server of its agent continues it within seconds';
  const onward = isResumed ? '' : ` · no process holds the run: ${how}`;
  const settled = isNobodys ? onward : ' · sent through the store: the process that holds the run continues';
  const next = isOpen ? ' · the run waits for the others' : settled;
  terminal.stderr.write(`${line}${next}\n`);
};
