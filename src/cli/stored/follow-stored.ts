import type { Command } from '../usage/commands.ts';
import type { Session } from '../session.ts';
import { answerRun } from './answer-run.ts';
import { compare } from './compare.ts';
import { giveFeedback } from './feedback.ts';
import { fork } from './forks/fork.ts';
import { keepSchedules } from '../schedules/keep-schedules.ts';
import { prune } from './prune.ts';
import { replay } from './replay.ts';
import { resume } from './resume.ts';
import { runs } from './runs.ts';
import { show } from './show.ts';
import { exportRun, importRun } from './transfer.ts';

/** A command on stored runs. */
export type StoredCommand = Exclude<
  Command,
  {
    readonly name:
      | 'help'
      | 'version'
      | 'new'
      | 'ask'
      | 'run'
      | 'inspect'
      | 'inspect-program'
      | 'dev'
      | 'graph'
      | 'mcp'
      | 'serve'
      | 'worker'
      | 'suggest'
      | 'rehearse'
      | 'upgrade'
      | 'eval'
      | 'resilience'
      | 'coverage'
      | 'move'
      | 'blame'
      | 'verify'
      | 'simulate'
      | 'trace'
      | 'audit';
  }
>;

/** Executes a command on stored runs. */
export const followStored = (wanted: StoredCommand, session: Session): Promise<number> => {
  switch (wanted.name) {
    case 'schedules':
      return keepSchedules(wanted, session);
    case 'runs':
      return runs(wanted, session);
    case 'show':
      return show(wanted, session);
    case 'resume':
      return resume(wanted, session);
    case 'replay':
      return replay(wanted, session);
    case 'fork':
      return fork(wanted, session);
    case 'compare':
      return compare(wanted, session);
    case 'approve':
    case 'deny':
    case 'answer':
      return answerRun(wanted, session);
    case 'export':
      return exportRun(wanted, session);
    case 'import':
      return importRun(wanted, session);
    case 'prune':
      return prune(wanted, session);
    case 'feedback':
      return giveFeedback(wanted, session);
  }
};
