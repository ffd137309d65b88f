import type { RunEntry } from '../../contracts/journal.ts';
import type { Began } from '../../contracts/journal-record.ts';
import { toJson } from '../../contracts/json.ts';
import type { RunOptions } from '../../contracts/run.ts';
import { redactor, secretsIn } from '../../policy/redaction.ts';
import type { Definition } from '../definition.ts';
import type { Run } from '../run.ts';
import { recorded } from './unlimited.ts';

/** Of the input, in a list of runs. */
const TITLE_LENGTH = 80;

/** What a journal says first. */
export const beganWith = (
  run: Run,
  { name }: Definition,
  input: unknown,
  { thread, history, task, budget, limits }: RunOptions,
): Began => ({
  kind: 'began',
  at: run.clock.now(),
  runId: run.runId,
  agent: name,
  input: toJson(input),
  ...(thread === undefined ? {} : { thread }),
  ...(history === undefined ? {} : { history }),
  ...(task === undefined ? {} : { task }),
  ...(budget === undefined ? {} : { budget: recorded(budget) }),
  ...(limits === undefined ? {} : { limits: recorded(limits) }),
});

/** What is said of a run in a list. */
export const entryOf = ({ runId, agent, input, thread, fork }: Began, now: number): RunEntry => ({
  runId,
  agent,
  status: 'running',
  // A list is read by more people than a journal.
  title: titleOf(secretsOut()(typeof input === 'string' ? input : JSON.stringify(input))),
  createdAt: now,
  updatedAt: now,
  ...(thread === undefined ? {} : { thread }),
  ...(fork === undefined ? {} : { forkedFrom: fork.runId }),
});

const titleOf = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH - 1)}…` : line;
};

/** Secrets of this process's environment are not written. */
export const secretsOut = (): ((text: string) => string) =>
  redactor(secretsIn(globalThis.process?.env ?? {}));
