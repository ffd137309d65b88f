import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const src = join(import.meta.dirname, '../../../src');

/** Members of XState's actors, systems, snapshots and machines that are no part of its API. */
const INTERNAL =
  /\b_(?:snapshot|parent|nodes|processingStatus|actorScope|deferred|stop|relay|register|unregister|bookId|set|clock|logger|sendInspectionEvent|process|syncSnapshot|doneEvent|initialize|scheduledEvents|unsafe\w*)\b/;

/** Members with an underscore that are somebody's API: of MCP, of Zod's schemas, of Cedar's entities, and of the event by which XState shows a microstep. */
const PUBLIC: ReadonlySet<string> = new Set(['_meta', '_zod', '_default', '__entity', '_transitions']);

const internalIn = (line: string): boolean =>
  INTERNAL.test(line) ||
  Array.from(line.matchAll(/[\w)\]]\??\.(_\w+)/g), ([, member = '']) => member).some(
    (member) => !PUBLIC.has(member),
  );

/** What reads another package's form of an actor, or shows one in it. */
const ALLOWED: ReadonlySet<string> = new Set(['inspect/sinks/stately-sink.ts']);

test('XState is used by its public API alone', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const found = files.flatMap((name) =>
    ALLOWED.has(name)
      ? []
      : readFileSync(join(src, name), 'utf8')
          .split('\n')
          .flatMap((line, index) => (internalIn(line) ? [`${name}:${index + 1} ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});
