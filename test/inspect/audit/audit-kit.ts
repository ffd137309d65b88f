import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { agent, tool } from '../../../src/index.ts';
import type { Hook } from '../../../src/index.ts';
import { auditLog } from '../../../src/inspect/index.ts';
import { calls, scriptedModel } from '../../../src/testing/index.ts';
import { temporaryFolder } from '../traces/traces-kit.ts';

export { filesIn, temporaryFolder, textOf } from '../traces/traces-kit.ts';

const pay = tool({
  name: 'pay',
  description: 'Pays a sum.',
  safety: 'write',
  input: z.object({ sum: z.number() }),
  approval: ({ sum }) => sum > 10,
  describe: ({ sum }) => `Paying ${sum} to Bob`,
  execute: ({ sum }) => `paid ${sum}`,
});

/** Pays sums, each in a step of its own: more than 10 has to be approved. */
export const payer = (...sums: readonly number[]) =>
  agent({
    name: 'payer',
    tools: [pay],
    model: scriptedModel([...sums.map((sum) => calls({ name: 'pay', input: { sum } })), 'Paid.']),
  });

/** Approves sums up to a limit. */
export const approvingUpTo = (limit: number) => ({
  approve: ({ input }: { readonly input: unknown }) =>
    Number((input as { readonly sum: number }).sum) <= limit || 'too much',
});

/** A folder with the logs of runs that have ended: each pays 5 and 50, and may not pay 500. */
export const auditedRuns = async (
  runs: readonly string[],
  options: Partial<Parameters<typeof auditLog>[0]> = {},
  folder = temporaryFolder(),
): Promise<string> => {
  const audit = auditLog({ folder, ...options });
  for (const runId of runs) await auditedRun(runId, audit);
  return folder;
};

export const auditedRun = (runId: string, audit: Hook) =>
  payer(5, 50, 500).run('Pay all.', { runId, hooks: [audit], person: approvingUpTo(100) });

/** Changes the lines of a file, its first line included. */
export const changeLines = (
  folder: string,
  name: string,
  change: (lines: readonly string[]) => readonly string[],
): void => {
  const file = join(folder, name);
  writeFileSync(file, change(readFileSync(file, 'utf8').split('\n')).join('\n'));
};
