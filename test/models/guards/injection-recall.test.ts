import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { injectionsIn } from '../../../src/models/guards/built-in/injection.ts';
import { attacks, harmless } from './injection-corpus.ts';

const isFound = (text: string): boolean => injectionsIn(text).length > 0;
const guides = new URL('../../../docs/guide/', import.meta.url);

describe('the guard against injections', () => {
  test('finds as many attacks of each class as the guide says, and takes as many harmless texts for one', () => {
    const counted = [...Object.entries(attacks), ['harmless text with their words', harmless] as const].map(
      ([name, texts]) => [name, `${texts.length}`, `${texts.filter(isFound).length}`],
    );
    const guide = readFileSync(new URL('security.md', guides), 'utf8');
    const rows = [...guide.matchAll(/^\| ([^|]+?) +\| +(\d+) +\| +(\d+) +\|$/gm)].map((row) => row.slice(1));
    expect(counted).toEqual(rows);
  });

  test('takes at most 5 of 100 harmless texts for an attack, and of 500 paragraphs of the guide at most one', () => {
    expect(harmless.filter(isFound).length / harmless.length).toBeLessThanOrEqual(0.05);
    const paragraphs = readdirSync(guides)
      .filter((name) => name.endsWith('.md'))
      .flatMap((name) => readFileSync(new URL(name, guides), 'utf8').split('\n\n'));
    expect(paragraphs.length).toBeGreaterThan(500);
    expect(paragraphs.filter(isFound).length / paragraphs.length).toBeLessThanOrEqual(1 / 500);
  });
});
