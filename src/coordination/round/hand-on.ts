import type { StopReason } from '../../contracts/agents/stop-reason.ts';
import type { Task } from './round.ts';
import type { TeamContext } from './team-context.ts';

/** The limit of handoffs of one task: beyond it the task is going round in the team. */
const MAX_HANDOFFS = 10;

/** The task that a member hands on to another of the team; undefined if it does not, or to a member that had it before. */
export const taskHandedOn = (
  { members }: TeamContext['team'],
  task: Task,
  stopReason: StopReason,
): Task | undefined => {
  if (stopReason.kind !== 'handedOff') return undefined;
  const { to, message } = stopReason;
  const { phase } = task;
  const before = [...(task.before ?? []), task.member];
  if (!members.includes(to) || before.includes(to) || before.length > MAX_HANDOFFS) return undefined;
  const note = `(Handed over by ${task.member}${message === undefined ? '' : `: ${message}`})`;
  // A member that takes no text gets the task itself.
  const input = typeof task.input === 'string' ? `${task.input}\n\n${note}` : task.input;
  return { member: to, input, before, note, ...(phase === undefined ? {} : { phase }) };
};
