import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ToolSpec } from '../../src/contracts/tools/tool-call.ts';
import { rankTools } from '../../src/tools/define/rank-tools.ts';

const spec = (name: string, description: string, properties = {}): ToolSpec => ({
  name,
  description,
  parameters: { type: 'object', properties },
});

const namesBy = (specs: readonly ToolSpec[], query: string): readonly string[] =>
  rankTools(specs)(query).map(({ name }) => name);

describe('tools are ranked', () => {
  test('by words of their names, then of descriptions, then of parameters', () => {
    const specs = [
      spec('a', 'Adds.', { invoice: { type: 'string' } }),
      spec('b', 'Reads an invoice.'),
      spec('invoice', 'Writes.'),
      spec('c', 'Does something else.'),
    ];
    expect(namesBy(specs, 'invoices')).toEqual(['invoice', 'b', 'a']);
  });

  test('by a rare word more than by a common one, and by a whole word more than by its beginning', () => {
    const common = ['one', 'two', 'three'].map((name) => spec(name, 'Searches a map.'));
    expect(namesBy([...common, spec('old', 'Searches old maps.')], 'search old')[0]).toBe('old');
    expect(namesBy([spec('x', 'Cartography.'), spec('y', 'A cart.')], 'cart')).toEqual(['y', 'x']);
  });

  test('the one of that very name first, and equals in their order', () => {
    const specs = [
      spec('send_mail', 'Send: send mail, send it.'),
      spec('mail', 'Post.'),
      spec('mail_2', 'Post.'),
    ];
    expect(namesBy(specs, 'mail')[0]).toBe('mail');
    expect(namesBy(specs, 'post')).toEqual(['mail', 'mail_2']);
  });

  test('none where no word is known, or there is none', () => {
    expect(namesBy([spec('a', 'Adds.')], 'weather')).toEqual([]);
    expect(namesBy([spec('a', 'Adds.')], 'the of 🙂')).toEqual([]);
    expect(namesBy([], 'adds')).toEqual([]);
  });

  test('so that each of 200 definitions is among the first five that its own first sentence finds', () => {
    const file = join(import.meta.dirname, '../fixtures/bfcl/definitions.jsonl');
    const specs = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ToolSpec);
    const search = rankTools(specs);
    const missed = specs.filter(({ name, description }) => {
      const [said = ''] = (description.split('Tool description: ')[1] ?? description).split(/[.,;]/);
      return !search(said)
        .slice(0, 5)
        .some((found) => found.name === name);
    });
    expect(specs).toHaveLength(200);
    expect(missed.map(({ name }) => name)).toEqual([]);
  });
});
