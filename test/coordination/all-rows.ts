import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PatternRow } from './patterns/pattern-row.ts';
import { rowIn, setupIn } from './row-in.ts';
import type { SetupRow } from './setup-row.ts';

const OTHERS = ['pattern-row'];

/** The files of the contract's table in `patterns`, without their endings: a new one is there as soon as it is written. */
export const rowFiles: readonly string[] = readdirSync(join(import.meta.dirname, 'patterns'))
  .map((file) => file.replace(/\.ts$/, ''))
  .filter((name) => !OTHERS.includes(name))
  .toSorted();

/** The rows of the contract's table: one for each file in `patterns`. */
export const allRows: readonly PatternRow[] = await Promise.all(rowFiles.map(rowIn));

/** What each pattern may be given, by its name: from the same files. */
export const setupRows: readonly (SetupRow & { readonly pattern: string })[] = (
  await Promise.all(
    rowFiles.map(async (file) => {
      const setup = await setupIn(file);
      return setup === undefined ? [] : [{ ...setup, pattern: (await rowIn(file)).name }];
    }),
  )
).flat();
