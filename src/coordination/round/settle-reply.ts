import type { Outcome } from '../../contracts/runs/outcome.ts';
import type { StopReason } from '../../contracts/agents/stop-reason.ts';
import type { Tally } from '../../contracts/agents/tally.ts';
import { emptyTally } from '../../contracts/agents/tally.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { errorData } from '../../contracts/errors/error.ts';
import { atOnce } from '../../machines/rules.ts';
import { taskHandedOn } from './hand-on.ts';
import type { PersonWaits, Reply, RoundOptions, Task } from './round.ts';
import { isRoundOver, placeAt, roundOf } from './round.ts';
import type { Draft, RoundMove } from './round-draft.ts';
import {
  atPlace,
  draftOf,
  endFor,
  moveOf,
  start,
  startNext,
  startWaiting,
  wantWait,
  timeFor,
  watchTime,
  widening,
  withRound,
} from './round-draft.ts';
import { slotList } from './slots.ts';
import { supervise } from './supervise.ts';
import { isBudgetOf } from './team-budget.ts';
import { nextRound } from './round-count.ts';
import type { TeamContext, TeamEvent } from './team-context.ts';
import { checkEventBody } from './check-event-body.ts';
import { rulesInForce } from '../../machines/in-force.ts';

/**
 * Starts a round of tasks: the first at once, the others in their turn. `engageMembers` carries it out. A round without a task is over
 * at once, without a reply.
 *
 * @example
 * const askAll = (context: Context) => beginRound(context, voters.map((member) => ({ member, input: 'For or against?' })));
 *
 * @throws {TroupeError} `machine.invalid` for an event to publish (`telling`) with a field which the runtime fills in (`agent`, `path`, `seq`,
 * `at`, `v`, `runId`, `step`, `phase`), or is no event, and for a team that has ended; `budget.spent` for one that continues without a
 * budget. The team fails with it.
 */
export const beginRound = (
  context: TeamContext,
  tasks: readonly Task[],
  options: RoundOptions = {},
): RoundMove => {
  const count = nextRound(context);
  const draft = draftOf(context, context.tally.now);
  draft.wants.telling.push(...(options.telling ?? []).map(checkEventBody));
  // Without a task no reply would ever end it.
  if (tasks.length === 0)
    return moveOf({ ...draft, round: { ...roundOf(tasks, options), ...count, standing: 'over' } });
  const begun = widening(startNext({ ...draft, round: { ...roundOf(tasks, options), ...count } }));
  const { closesAfterMs } = options;
  if (closesAfterMs === undefined) return moveOf(begun);
  const closesAt = draft.at + closesAfterMs;
  wantWait(begun, 'wake', closesAt);
  return moveOf(withRound(begun, { closesAt }));
};

/** Folds an answer into its team: a reply is in, a wait is over, or a member is overdue; with the round's status then. */
export const roundMove = (context: TeamContext, event: TeamEvent): RoundMove => {
  const move = moveRound(context, event);
  const isEscalated = context.team.supervision !== null && move.end !== null;
  const standing = isEscalated ? 'escalated' : isRoundOver(move.round) ? 'over' : 'open';
  return { ...move, round: { ...move.round, standing } };
};

const moveRound = (context: TeamContext, event: TeamEvent): RoundMove => {
  const draft = draftOf(context, event.at);
  switch (event.type) {
    case 'answered.member': {
      const { index, path, output } = event;
      // A member that was stopped meanwhile, or a second answer, has no task.
      const isAwaited = placeAt(draft.round, index)?.path === path;
      return moveOf(isAwaited ? settle(draft, index, path, output) : draft);
    }
    case 'answered.pause':
      return moveOf(startWaiting(draft, event.index));
    case 'answered.wake':
      return moveOf(timeOut(closeRound(withWaits(draft, event.output)), event.index));
    case 'expired':
      return moveOf(callOff(draft, 'stopped', event.reason));
    default:
      return context;
  }
};

/** A member has ended: its work is handed on, restarted, or has its reply. */
const settle = (draft: Draft, index: number, path: string, given: Outcome): Draft => {
  const task = draft.round.tasks[index];
  if (task === undefined) return draft;
  const outcome = judgeAnswer(draft, given);
  const counted: Draft = { ...draft, tally: addTally(draft.tally, outcome.tally, draft.at) };
  const handed = taskHandedOn(draft.team, task, outcome.stopReason);
  if (handed !== undefined)
    return start(withRound(counted, { tasks: draft.round.tasks.with(index, handed) }), index);
  const reply = replyOf(task, outcome);
  const hasFailed = outcome.status === 'failed' || outcome.status === 'stopped';
  if (!hasFailed || isBudgetOf(draft.team, outcome.stopReason)) return takeReply(counted, index, reply);
  const { member } = task;
  const { draft: next, isReply } = supervise(counted, { index, member, path, outcome, reply });
  return isReply ? takeReply(next, index, reply) : next;
};

/** An answer that does not count is none: its member stopped with a candidate that was rejected, or failed with what the judge threw. */
const judgeAnswer = (draft: Draft, outcome: Outcome): Outcome => {
  const { accepts } = draft.round;
  const { output, ...rest } = outcome;
  const accept = accepts === null ? undefined : rulesInForce().functions?.[accepts];
  if (accept === undefined || output === undefined) return outcome;
  try {
    if (atOnce(accept(output)) === true) return outcome;
    return { ...rest, status: 'stopped', stopReason: NOT_ACCEPTED, candidate: output };
  } catch (thrown) {
    const message = `Cannot tell whether an answer counts as the function '${accepts}' threw`;
    const error = errorData(thrown, 'agent.threw', { message });
    return { ...rest, status: 'failed', stopReason: { kind: 'failed' }, error, candidate: output };
  }
};

const NOT_ACCEPTED = { kind: 'rejected', note: 'this answer does not count', rejections: 1 } as const;

/** A task has its reply; what that means for the others. */
const takeReply = (draft: Draft, index: number, reply: Reply): Draft => {
  const isAnswer = reply.status === 'completed';
  const { round } = atPlace(draft, index, { reply, path: null, waitsFor: null });
  const open = round.open - 1;
  const answered = round.answered + Number(isAnswer);
  const next = withRound({ ...draft, round }, { open, answered });
  if (isBudgetOf(draft.team, reply.stopReason)) return callOff(next, 'stopped', reply.stopReason);
  if (open > 0 && answered >= round.enough)
    return callOff(next, 'aborted', noLonger('enough of the others have answered'));
  if (round.failsFast && !isAnswer)
    return callOff(next, 'aborted', noLonger(`'${reply.member}' did not answer`));
  return startNext(next);
};

/** The time of the round is up: members that have not answered are cancelled. */
const closeRound = (draft: Draft): Draft => {
  const { closesAt } = draft.round;
  if (closesAt === null || draft.at < closesAt) return draft;
  return callOff(withRound(draft, { closesAt: null }), 'aborted', noLonger('the time of the round is over'));
};

const withWaits = (draft: Draft, waited: PersonWaits | null | undefined): Draft =>
  waited === undefined || waited === null ? draft : withRound(draft, { waited });

/** Members that have had their time are stopped, and have failed. While a member waits for a person, its time stands still. */
const timeOut = (draft: Draft, wait: number): Draft => {
  const { watchedUntil, watchedWith, places } = draft.round;
  // A look that an earlier round asked for.
  if (watchedUntil === null || (draft.at < watchedUntil && wait !== watchedWith)) return draft;
  let next = withRound(draft, { watchedUntil: null });
  for (const [index, place] of slotList(places).entries()) {
    const { path } = place;
    // Another's end may have stopped it meanwhile.
    const isThere = path !== null && placeAt(next.round, index)?.path === path;
    const end = endFor(draft, index, place);
    if (!isThere || end === null || end > draft.at) continue;
    draft.wants.stopping.push(path);
    const member = draft.round.tasks[index]?.member ?? '';
    const late = tooLate(member, timeFor(draft, index) ?? 0, draft.at);
    draft.wants.overdue = { ...draft.wants.overdue, [path]: late.error };
    next = settle(next, index, path, late);
  }
  return watchTime(next);
};

const tooLate = (member: string, limit: number, at: number): Outcome & { readonly error: ErrorData } => ({
  status: 'failed',
  stopReason: { kind: 'failed' },
  error: {
    code: 'member.timed-out',
    message: `Cannot wait for '${member}' any longer as its time is over: ${limit} ms`,
    retryable: 'yes',
  },
  steps: 0,
  state: null,
  tally: emptyTally(at),
});

const noLonger = (reason: string): StopReason => ({ kind: 'aborted', reason });

/** No other reply is needed: members at work are stopped, the last first, and tasks not started never start. */
const callOff = (draft: Draft, status: 'aborted' | 'stopped', stopReason: StopReason): Draft => {
  let next = withoutRest(draft);
  for (const [index, { member }] of [...next.round.tasks.entries()].toReversed()) {
    const place = placeAt(next.round, index);
    if (place === undefined || place.reply !== null) continue;
    if (place.path !== null) draft.wants.stopping.push(place.path);
    const reply: Reply = {
      member,
      status,
      output: null,
      stopReason,
      error: null,
      steps: 0,
    };
    const { round } = atPlace(next, index, { reply, path: null, waitsFor: null });
    next = withRound({ ...next, round }, { open: round.open - 1 });
  }
  return next;
};

/** No other member starts. */
const withoutRest = (draft: Draft): Draft => {
  const { tasks, started, open } = draft.round;
  return withRound(draft, { tasks: tasks.slice(0, started), open: open - (tasks.length - started) });
};

const replyOf = ({ member, keepsConversation }: Task, outcome: Outcome): Reply => ({
  member,
  status: outcome.status,
  output: outcome.output ?? outcome.candidate ?? null,
  ...(outcome.autoCompleted === true ? { autoCompleted: true } : {}),
  stopReason: outcome.stopReason,
  error: outcome.error ?? null,
  steps: outcome.steps,
  ...(keepsConversation === true
    ? { left: { conversation: outcome.conversation ?? [], state: outcome.state } }
    : {}),
});

const addTally = (sum: Tally, added: Tally, at: number): Tally => ({
  modelCalls: sum.modelCalls + added.modelCalls,
  toolCalls: sum.toolCalls + added.toolCalls,
  inputTokens: sum.inputTokens + added.inputTokens,
  outputTokens: sum.outputTokens + added.outputTokens,
  cachedTokens: sum.cachedTokens + added.cachedTokens,
  retries: sum.retries + added.retries,
  startedAt: sum.startedAt,
  now: at,
});
