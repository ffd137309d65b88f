import type { ErrorCause, ErrorData } from '../../contracts/errors/error-data.ts';
import type { EventBody } from '../../contracts/events/event.ts';
import type { Outcome } from '../../contracts/runs/outcome.ts';
import type { Restart } from '../../machines/outputs.ts';
import type { Verdict } from '../../machines/supervision.ts';
import { recentRestarts, restartsWith, verdictOn, withFailure } from '../../machines/supervision.ts';
import type { Reply, Task } from './round.ts';
import { placeAt, repliesIn } from './round.ts';
import type { Draft } from './round-draft.ts';
import { atPlace, wantWait, withRound } from './round-draft.ts';

/** A member that ended without an answer. */
export interface Failed {
  readonly index: number;
  readonly member: string;
  /** Its address. */
  readonly path: string;
  readonly outcome: Outcome;
  readonly reply: Reply;
}

/** The verdict of the team's policy on a failure: the draft then, and whether the failure is the reply. */
export const supervise = (draft: Draft, failed: Failed): { draft: Draft; isReply: boolean } => {
  const { supervision } = draft.team;
  const { index, member, path, outcome, reply } = failed;
  const place = placeAt(draft.round, index);
  const rules = supervision?.members[member];
  if (supervision === null || rules === undefined || place === undefined) return { draft, isReply: true };
  const { startedAt } = place;
  const isFailure = outcome.status === 'failed';
  const end = { error: reply.error, isFailure, startedAt, at: draft.at, seed: path };
  const trouble = withFailure(place.trouble, rules, end);
  const verdict = verdictOn(supervision, member, end, trouble, draft.restarts);
  const troubled = atPlace(draft, index, { trouble });
  switch (verdict.directive) {
    case 'stop':
      return { draft: troubled, isReply: true };
    case 'quarantine': {
      const task = draft.round.tasks[index]?.input ?? null;
      draft.wants.telling.push({
        type: 'child.quarantined',
        member,
        child: path,
        task,
        ...errorOf(reply.error),
      });
      return { draft: troubled, isReply: true };
    }
    case 'escalate':
      draft.wants.telling.push(superviseFailure(failed, verdict, []));
      return { draft: escalate(troubled, failed), isReply: false };
    default:
      return { draft: restart(troubled, failed, verdict), isReply: false };
  }
};

/** Stops the members that are to be restarted, the last first, and defers their restarts. */
const restart = (draft: Draft, failed: Failed, verdict: Extract<Verdict, { waitMs: number }>): Draft => {
  const { supervision } = draft.team;
  if (supervision === null) return draft;
  const { round, wants } = draft;
  const again = restartsWith(supervision.strategy, failed.index, round.started);
  for (const index of again.toReversed()) {
    const path = placeAt(round, index)?.path ?? null;
    if (path !== null && index !== failed.index) wants.stopping.push(path);
  }
  wants.telling.push(
    superviseFailure(
      failed,
      verdict,
      again.map((index) => ({
        member: round.tasks[index]?.member ?? '',
        child: placeAt(round, index)?.lastPath ?? failed.path,
      })),
    ),
  );
  const wait = wantWait(draft, 'pause', draft.at + verdict.waitMs);
  const restarts = [...recentRestarts(supervision, draft.restarts, draft.at), draft.at];
  return again.reduce<Draft>(
    (next, index) =>
      reopenTask(next, index, wait, failed, index === failed.index ? beginningOf(verdict, failed) : {}),
    { ...draft, restarts },
  );
};

/** A restarted task: its reply is discarded. */
const reopenTask = (
  draft: Draft,
  index: number,
  wait: number,
  failed: Failed,
  { note, beginsWith }: Beginning,
): Draft => {
  const place = placeAt(draft.round, index);
  if (place === undefined) return draft;
  const { open, answered } = draft.round;
  const wasIn = place.reply !== null;
  const of = place.lastPath ?? failed.path;
  const restart = { of, count: (place.restart?.count ?? 0) + 1, ...(note === undefined ? {} : { note }) };
  const { tasks } = draft.round;
  const task = tasks[index];
  const counted = withRound(draft, {
    // The conversation that it goes on from holds what it saw.
    tasks:
      task === undefined || beginsWith === undefined
        ? tasks
        : tasks.with(index, { ...task, beginsWith, sees: undefined }),
    open: open + Number(wasIn),
    answered: answered - Number(place.reply?.status === 'completed'),
  });
  return atPlace(counted, index, { reply: null, path: null, waitsFor: wait, restart });
};

/** The restart of a member: with a note, or with the rest of a conversation. */
type Beginning = Pick<Restart, 'note'> & Pick<Task, 'beginsWith'>;

const beginningOf = ({ directive }: Verdict, { reply, outcome }: Failed): Beginning => {
  if (directive === 'correct' && reply.error !== null)
    return { note: `The attempt before this one was no use: ${reply.error.message}` };
  const { conversation } = outcome;
  return directive === 'compact' && conversation !== undefined ? { beginsWith: conversation } : {};
};

/** The error of a member as the cause of its team's, over what caused it. */
const causeFrom = ({ code, message, cause }: ErrorData): ErrorCause => ({
  name: code,
  message,
  ...(cause === undefined ? {} : { cause }),
});

/** The team fails with what its member failed with; what others have answered is its candidate. */
const escalate = (draft: Draft, { member, reply: { error, stopReason } }: Failed): Draft => {
  const message = `Cannot go on with '${draft.team.name}' as its member '${member}' fails and no restart is left to help`;
  const escalated: ErrorData = {
    code: 'team.escalated',
    message: `${message}: ${error?.message ?? stopReason.kind}`,
    retryable: error?.retryable ?? 'no',
    ...(error === null ? {} : { cause: causeFrom(error) }),
  };
  const left = repliesIn(draft.round).flatMap(({ output }) => (output === null ? [] : [output]));
  const candidate = left.length === 0 ? {} : { candidate: left };
  return {
    ...draft,
    end: { status: 'failed', stopReason: { kind: 'failed' }, error: escalated, ...candidate },
  };
};

const superviseFailure = (
  { member, path, reply }: Failed,
  verdict: Verdict,
  again: readonly { readonly member: string; readonly child: string }[],
): EventBody => ({
  type: 'child.supervised',
  member,
  child: path,
  failure: verdict.failure,
  directive: verdict.directive,
  ...('waitMs' in verdict ? { waitMs: verdict.waitMs } : {}),
  members: again.map(({ member: each }) => each),
  children: again.map(({ child }) => child),
  ...errorOf(reply.error),
});

const errorOf = (error: ErrorData | null): { readonly error?: ErrorData } =>
  error === null ? {} : { error };
