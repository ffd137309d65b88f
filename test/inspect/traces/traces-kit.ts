import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { act, agent, answer, maxSteps, tool } from '../../../src/index.ts';
import type { JsonObject } from '../../../src/base/json/json.ts';
import type { TraceDisk } from '../../../src/inspect/traces/trace-disk.ts';
import { realDisk } from '../../../src/inspect/traces/trace-disk.ts';

/** A folder of its own, gone after the test, or `afterAll` of those of a file or a group. */
export const temporaryFolder = (after: (remove: () => void) => void = onTestFinished): string => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-traces-'));
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
};

export const filesIn = (folder: string): readonly string[] => readdirSync(folder).toSorted();

export const textOf = (file: string): string => readFileSync(file, 'utf8');

/** The records in the rows of a trace. */
export const recordsOf = (file: string): readonly JsonObject[] =>
  textOf(file)
    .split('\n')
    .slice(1, -1)
    .flatMap((line) => (JSON.parse(line) as { readonly records: readonly JsonObject[] }).records);

const look = tool({
  name: 'look',
  description: 'Looks something up.',
  input: z.object({ for: z.string() }),
  execute: ({ for: what }) => `${what} is here`,
});

/** Looks things up, as many as it is told, then answers. */
export const looker = (looks = 2, given: Partial<Parameters<typeof agent>[0]> = {}) =>
  agent({
    name: 'looker',
    tools: [look],
    stop: [maxSteps(100)],
    decide: ({ step }) =>
      step < looks ? act({ name: 'look', input: { for: `thing ${step}` } }) : answer('All of it is here.'),
    ...given,
  });

/** The file system, with some of what it does in a test's hands. */
export const diskWith = (change: Partial<TraceDisk>): TraceDisk => ({ ...realDisk, ...change });
