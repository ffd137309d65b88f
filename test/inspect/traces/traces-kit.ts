import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { z } from 'zod';
import { act, agent, answer, maxSteps, tool } from '../../../src/index.ts';
import type { TraceDisk } from '../../../src/inspect/traces/trace-disk.ts';
import { realDisk } from '../../../src/inspect/traces/trace-disk.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder of its own, gone after the test. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-traces-'));
  folders.push(folder);
  return folder;
};

export const filesIn = (folder: string): readonly string[] => readdirSync(folder).toSorted();

export const textOf = (folder: string, file: string): string => readFileSync(join(folder, file), 'utf8');

export const linesOf = (folder: string, file: string): readonly unknown[] =>
  textOf(folder, file)
    .split('\n')
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line));

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
