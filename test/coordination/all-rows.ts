import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PatternRow } from './patterns/pattern-row.ts';

const OTHERS = ['pattern-row'];

/** The rows of the contract's table: one for each file in `patterns`. */
export const allRows: readonly PatternRow[] = await Promise.all(
  readdirSync(join(import.meta.dirname, 'patterns'))
    .map((file) => file.replace(/\.ts$/, ''))
    .filter((name) => !OTHERS.includes(name))
    .toSorted()
    .map(async (name) => {
      const { row } = (await import(`./patterns/${name}.ts`)) as { row?: PatternRow };
      if (row === undefined) throw new Error(`${name}.ts has no row`);
      return row;
    }),
);
