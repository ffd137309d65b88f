import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TemporaryWorld } from '../../environment/temporary-world.ts';
import { temporaryWorld } from '../../environment/temporary-world.ts';
import { access, approvals, betweenAgents } from './authority.ts';
import { inspectors, paths, requests } from './borders.ts';
import { auditLogs } from './chains.ts';
import { commands } from './commands.ts';
import { injected } from './injected.ts';
import { results } from './results.ts';
import type { Row, Tally } from './row.ts';
import { tally } from './row.ts';
import { formulas, jsonTexts, modelNames, patterns, prototypes, schemas, secrets, texts } from './values.ts';

let world: TemporaryWorld;
beforeEach(async () => {
  world = await temporaryWorld();
});
afterEach(() => world.dispose());

type Made = Row | (() => Promise<Row>);

/** All rows of the checklist, as the guide names them. */
const rows: Readonly<Record<string, Made>> = {
  'approvals of calls': approvals,
  'tools of others': access,
  'addresses, URLs and redirects': requests,
  'paths of files': () => paths(world),
  'commands and their arguments': () => commands(world),
  formulas,
  'prototypes in arguments': prototypes,
  'JSON of models': jsonTexts,
  'texts on terminals and pages': texts,
  'values against JSON Schemas': schemas,
  'secrets by their form': secrets,
  'requests to the inspector': inspectors,
  'injected actions, under the rule': injected,
  'words and messages that imitate the runtime': betweenAgents,
  'results of tools': results,
  'patterns of others': patterns,
  'changes of an audit log': auditLogs,
  'names of models': modelNames,
};

/**
 * Rows that are not without fault, and the shares that may be wrong: a file that is called `~`, secrets whose form says nothing, and what users
 * want done that others wrote.
 */
const FAULTS: Readonly<Record<string, readonly [letThrough: number, wronglyRefused: number]>> = {
  'paths of files': [0, 0.08],
  'secrets by their form': [0.05, 0.05],
  'injected actions, under the rule': [0, 0.25],
};

const found: Record<string, Tally> = {};

const GUIDE = new URL('../../../docs/guide/security.md', import.meta.url);

test.each(Object.keys(rows))('%s: what is hostile is refused, and what is honest is not', async (name) => {
  const made = rows[name];
  const row = typeof made === 'function' ? await made() : made;
  if (row === undefined) throw new Error('no such row');
  const { letThrough, wronglyRefused, tried, honest } = (found[name] = await tally(row));
  const [most, mostWrong] = FAULTS[name] ?? [0, 0];
  expect(letThrough.length, letThrough.join('\n')).toBeLessThanOrEqual(most * tried);
  expect(wronglyRefused.length, wronglyRefused.join('\n')).toBeLessThanOrEqual(mostWrong * honest);
});

test('the guide says these numbers', () => {
  const guide = readFileSync(GUIDE, 'utf8');
  const cells = /^\| ([^|]+?) +\| +(\d+) +\| +(\d+) +\| +(\d+) +\| +(\d+) +\| +(\d+) +\|$/gm;
  const told = [...guide.matchAll(cells)].map((row) => row.slice(1));
  const counted = Object.entries(found).map(
    ([name, { tried, refused, letThrough, honest, wronglyRefused }]) => [
      name,
      ...[tried, refused, letThrough.length, honest, wronglyRefused.length].map(String),
    ],
  );
  expect(told).toEqual(counted);
});
