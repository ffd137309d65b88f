import { isTroupeError } from '../contracts/errors/error.ts';
import type { ErrorCode } from '../contracts/errors/error-data.ts';

/** Exit codes of the command. */
export const exitCode = {
  answered: 0,
  /** The run failed, or stopped without an answer. */
  unanswered: 1,
  /** Invalid command line, or a missing file, package, key or run. */
  usage: 2,
  /** Parked while it waits for a person, or for long; resumable. As in BSD's sysexits: try again later. */
  parked: 75,
  /** Ctrl-C, as shells have it: 128 and the number of the signal. */
  aborted: 130,
} as const;

/** Meanings of the exit codes, as the help and the guide state them. */
export const exitMeanings: readonly (readonly [code: number, meaning: string])[] = [
  [exitCode.answered, 'answered, also if the answer is that nothing was found'],
  [
    exitCode.unanswered,
    'failed, or stopped without an answer; a journal is damaged; two runs differ; a gate fails',
  ],
  [exitCode.usage, 'wrong usage; a file, package, run, price or key is missing, or the key is refused'],
  [exitCode.parked, 'parked: the run waits, and can be resumed'],
  [exitCode.aborted, 'aborted by Ctrl-C (once: in order; twice: at once, and a stored run can be resumed)'],
];

/** The exit code for what went wrong before there was a result, and in it. */
export const codeOfFailure = (thrown: unknown): number => {
  if (!isTroupeError(thrown)) return exitCode.unanswered;
  if (thrown.code === 'run.aborted') return exitCode.aborted;
  return isUsage(thrown.code) ? exitCode.usage : exitCode.unanswered;
};

/** Checks whether an error is for the one who called the command to mend: another try would end the same. */
const isUsage = (code: ErrorCode): boolean => USAGE.has(code) || code.endsWith('.package-missing');

const USAGE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'command.usage',
  'documents.unreadable',
  'skill.unreadable',
  'skill.invalid',
  'trace.unreadable',
  'model.unknown',
  'model.missing',
  'model.auth',
  'budget.unpriced',
  'budget.invalid',
  'agent.invalid',
  'agent.duplicate',
  'team.invalid',
  'workflow.invalid',
  'tool.invalid',
  'tool.duplicate',
  'machine.invalid',
  'input.invalid',
  'policy.missing',
  'secret.missing',
  'secret.invalid',
  'secret.wrong-key',
  'journal.unknown',
  'journal.exists',
  'journal.point-unknown',
  'inspector.failed',
]);
