import { isTroupeError, TroupeError } from '../../../contracts/errors/error.ts';
import type { RuntimeEvent } from '../../../contracts/events/event.ts';
import { assertMay } from '../http/callers.ts';
import type { FoundRun, LiveRun } from '../runs/live-run.ts';
import { answerHere, answerOf } from '../runs/run-people.ts';
import type { ServedAgent } from '../runs/served-names.ts';
import { unservedError } from '../runs/served-names.ts';
import type { Caller } from '../serve-options.ts';
import type { Admitted, Serving } from '../serving.ts';
import { pastEvents } from '../watching.ts';
import { AnswerRequests } from './answer-requests.ts';
import type { Answering } from './answering.ts';
import type { ToldApproval, ToldConversation } from './wire-conversation.ts';
import { AnswerError, paramError } from './wire-error.ts';
import { readApprovalId, readCallId } from './wire-ids.ts';

/** An answer to a request of a run. */
type Given = { readonly text: string } | Pick<ToldApproval, 'yes' | 'reason'>;

/** The answers of a client, by request, and the run that they are for. */
interface Answers {
  readonly found: FoundRun;
  readonly events: readonly RuntimeEvent[];
  readonly byRequest: ReadonlyMap<string, Given>;
}

/**
 * Gives the results of calls and the approvals of a client to the run that waits for them, and continues it. Answers that it has already
 * change nothing: a request that is repeated is answered again.
 *
 * @throws {TroupeError} `input.invalid` for a call of no run of the caller, of several runs, and where a result is missing;
 * `request.answered` for another answer than before; `journal.held` where another process has the run.
 */
export const continueAnswer = async (
  serving: Serving,
  admitted: Admitted,
  { results, approvals, model }: Pick<ToldConversation, 'results' | 'approvals'> & { readonly model: string },
  param: string,
): Promise<Answering> => {
  const calls = [...results].map(([id, text]) => ({ id, text, ...readCallId(id) }));
  const asked = approvals.map((approval) => ({ ...approval, ...readApprovalId(approval.id) }));
  const [runId, other] = [...new Set([...calls, ...asked].map((each) => each.runId))];
  const [first] = [...calls, ...asked];
  if (runId === undefined || other !== undefined) throw notWaiting(param, first?.id ?? '');
  const found = await findOr(serving, runId, admitted.caller, () => notWaiting(param, first?.id ?? ''));
  const { name } = agentOf(serving, found);
  if (name !== model)
    throw paramError('model', `the run that waits for '${first?.id ?? ''}' is one of '${name}'`);
  const events = await pastEvents(serving, found);
  const byCall = requestsByCall(events);
  const byRequest = new Map<string, Given>();
  for (const { id, callId = '', text } of calls) {
    const request = byCall.get(callId);
    if (request === undefined) throw notWaiting(param, id);
    byRequest.set(request, { text });
  }
  if (asked.length > 0) assertMay(admitted.caller, 'answer');
  for (const { requestId = '', yes, reason } of asked) byRequest.set(requestId, { yes, reason });
  return give(serving, admitted, { found, events, byRequest }, param);
};

/** Answers the question of a run, and continues it. @throws {TroupeError} as {@link continueAnswer} */
export const replyToQuestion = async (
  serving: Serving,
  admitted: Admitted,
  found: FoundRun,
  { request, text }: { readonly request: string; readonly text: string },
): Promise<Answering> => {
  assertMay(admitted.caller, 'answer');
  const events = await pastEvents(serving, found);
  return give(serving, admitted, { found, events, byRequest: new Map([[request, { text }]]) }, 'input');
};

const give = async (
  serving: Serving,
  { caller }: Admitted,
  { found, events, byRequest }: Answers,
  param: string,
): Promise<Answering> => {
  const given = answersIn(events);
  const open = [...byRequest].filter(([id, answer]) => !isGiven(id, answer, given));
  assertComplete(events, byRequest, param);
  const after = [...byRequest.keys()];
  let run: LiveRun | undefined;
  if (open.length > 0) {
    run = await serving.runs.reach(found);
    for (const [id, answer] of open)
      answerHere(run, answerOf(id, 'text' in answer ? answer : toGiven(answer), caller), serving.clock);
    const still = run.handle.requests.find(({ id }) => byRequest.has(id));
    if (still !== undefined)
      throw new AnswerError({
        status: 409,
        code: 'request_pending',
        message: `The approval counts, and the call of run '${run.runId}' needs another one`,
      });
  }
  const now: FoundRun = run === undefined ? found : { live: run };
  const { runId } = now.live ?? now.stored;
  const place = { runId, part: ordinalOf(events, after) };
  return { found: now, place, after, agent: agentOf(serving, now), schema: undefined };
};

const toGiven = ({ yes, reason }: Pick<ToldApproval, 'yes' | 'reason'>) =>
  yes ? { yes } : { yes, ...(reason === undefined ? {} : { reason }) };

/** Finds a run of the caller's tenant. @throws {TroupeError} `unknown` where there is none */
export const findOr = async (
  { finder }: Serving,
  runId: string,
  caller: Caller,
  unknown: () => TroupeError,
): Promise<FoundRun> => {
  try {
    return await finder.find(runId, caller);
  } catch (thrown) {
    throw isTroupeError(thrown, 'journal.unknown') ? unknown() : thrown;
  }
};

/** The agent of a run. @throws {TroupeError} `agent.unknown` */
export const agentOf = ({ names }: Serving, found: FoundRun): ServedAgent => {
  const agent = found.live === undefined ? names.of(found.stored.agent) : found.live.agent;
  if (agent !== undefined) return agent;
  throw unservedError(
    found.stored?.agent ?? '',
    names.all.map(({ name }) => name),
  );
};

/** By call, the question to the client. */
const requestsByCall = (events: readonly RuntimeEvent[]): ReadonlyMap<string, string> => {
  const root = events.find(({ type }) => type === 'run.started')?.path;
  return new Map(
    events.flatMap((event): [string, string][] =>
      event.type === 'person.asked' && event.path === root && event.callId !== undefined
        ? [[event.callId, event.id]]
        : [],
    ),
  );
};

/** The answers that a run has, by request: the text, or if it was approved. */
const answersIn = (events: readonly RuntimeEvent[]): ReadonlyMap<string, string | boolean> =>
  new Map(
    events.flatMap((event): [string, string | boolean][] => {
      if (event.type === 'person.answered') return [[event.id, event.text]];
      if (event.type === 'tool.approved') return [[event.id, true]];
      return event.type === 'tool.denied' && event.id !== undefined ? [[event.id, false]] : [];
    }),
  );

const isGiven = (id: string, answer: Given, given: ReadonlyMap<string, string | boolean>): boolean => {
  const before = given.get(id);
  if (before === undefined) return false;
  if (before === ('text' in answer ? answer.text : answer.yes)) return true;
  throw new TroupeError('request.answered', 'Cannot answer the call as it was answered otherwise before');
};

/** A run goes on when all its calls have a result: one that the client forgot would have it wait. */
const assertComplete = (
  events: readonly RuntimeEvent[],
  byRequest: ReadonlyMap<string, Given>,
  param: string,
): void => {
  const root = events.find(({ type }) => type === 'run.started')?.path ?? '';
  const requests = new AnswerRequests();
  for (const event of events) requests.take(event, root);
  const byCall = requestsByCall(events);
  const missing = requests.calls(root).find(({ id }) => {
    const request = byCall.get(readCallId(id)?.callId ?? '');
    return request !== undefined && !byRequest.has(request);
  });
  if (missing !== undefined)
    throw paramError(param, `the result of a call is missing: '${missing.id}' of '${missing.name}'`);
};

/** The number of the request that a part begins with, among all of the run. */
const ordinalOf = (events: readonly RuntimeEvent[], after: readonly string[]): number => {
  const asked = events.flatMap((event) =>
    event.type === 'person.asked' ||
    event.type === 'tool.approval-requested' ||
    event.type === 'tool.ambiguous'
      ? [event.id]
      : [],
  );
  return asked.findIndex((id) => after.includes(id)) + 1;
};

const notWaiting = (param: string, id: string): TroupeError =>
  paramError(param, `no run of the caller waits for '${id}', or several runs are answered at once`);
