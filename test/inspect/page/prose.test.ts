import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { indentJson } from '../../../src/inspect/page/prose/indent-json.ts';
import type { Prose } from '../../../src/inspect/page/prose/prose-of.ts';
import { proseOf, safeAddress } from '../../../src/inspect/page/prose/prose-of.ts';

/** The elements of a text as one would write them, which no page does. */
const drawn = (parts: readonly Prose[] = []): string =>
  parts
    .map((part) => {
      if (typeof part === 'string') return part;
      const { tag, children, href, start } = part;
      const more = `${href === undefined ? '' : ` ${href}`}${start === undefined ? '' : ` from ${start}`}`;
      return `(${tag}${more}: ${drawn(children)})`;
    })
    .join('');

const read = (text: string): string => drawn(proseOf(text)?.parts);

interface Measured {
  readonly tags: ReadonlySet<string>;
  readonly hrefs: readonly string[];
  readonly count: number;
  readonly depth: number;
}

const measure = (parts: readonly Prose[]): Measured => {
  const tags = new Set<string>();
  const hrefs: string[] = [];
  let [count, deepest] = [0, 0];
  const look = (part: Prose, depth: number): void => {
    if (typeof part === 'string') return;
    tags.add(part.tag);
    if (part.href !== undefined) hrefs.push(part.href);
    expect(part.href !== undefined).toBe(part.tag === 'a');
    count += 1;
    deepest = Math.max(deepest, depth);
    for (const child of part.children) look(child, depth + 1);
  };
  for (const part of parts) look(part, 1);
  return { tags, hrefs, count, depth: deepest };
};

const allowed = new Set(
  'h2 h3 h4 h5 h6 p ul ol li table thead tbody tr th td pre code blockquote hr strong em del a'.split(' '),
);

describe('what models and people say, as Markdown', () => {
  test('is headings, lists, tables, code, quotes, emphasis and links', () => {
    expect(read('# One\n\n### Three\n\n## Two')).toBe('(h2: One)(h3: Three)(h3: Two)');
    expect(read('a **b *c*** ~~d~~ `e`')).toBe('(p: a (strong: b (em: c)) (del: d) (code: e))');
    expect(read('3. x\n4. y\n   - [x] z')).toBe('(ol from 3: (li: x)(li: y(ul: (li: ☑ z))))');
    expect(read('|a|b|\n|-|-|\n|1|2|')).toBe(
      '(table: (thead: (tr: (th: a)(th: b)))(tbody: (tr: (td: 1)(td: 2))))',
    );
    expect(read('```ts\nlet x;\n```\n\n> q\n\n---')).toBe('(pre: (code: let x;))(blockquote: (p: q))(hr: )');
    expect(read('[a](https://x.org/y?z=1) <b@x.org>')).toBe(
      '(p: (a https://x.org/y?z=1: a) (a mailto:b@x.org: b@x.org))',
    );
  });

  test('keeps as it is written what is HTML, leads elsewhere than a page or a mailbox, or would not be seen', () => {
    for (const text of [
      '<script>harm()</script>',
      'a <b onclick="harm()">b</b>',
      '<!-- hidden -->',
      '[x](javascript:harm())',
      '[x](data:text/html,harm)',
      '[x](/api/control)',
      '![x](javascript:harm())',
      '[x](vbscript:harm "title")',
    ])
      expect(read(text)).toBe(`(p: ${text})`);
    expect(read('[x]: https://x.org "hidden"')).toBe('(p: [x]: https://x.org "hidden")');
    expect(read('![a cat](https://x.org/cat.png)')).toBe('(p: (a https://x.org/cat.png: a cat))');
  });

  test('leads only to addresses that say so', () => {
    expect(['HTTPS://x.org', 'mailto:a@b', 'http://x'].map(safeAddress)).toEqual([
      'https://x.org/',
      'mailto:a@b',
      'http://x/',
    ]);
    const others = [
      'javascript:1',
      ' javascript:1',
      'java\nscript:1',
      'jAvAsCrIpT:1',
      '//x',
      'x',
      '',
      'https://',
      'data:,',
      'file:///x',
    ];
    expect(others.map(safeAddress)).toEqual(others.map(() => undefined));
  });

  const piece = fc.constantFrom(
    '<script>harm()</script>',
    '<img src=x onerror=harm()>',
    '[a](javascript:harm())',
    '![b](https://x.org/b.png)',
    '[c](https://x.org "t")',
    '<javascript:harm()>',
    '|a|b|\n|-|-|\n',
    '|1|2|\n',
    '# ',
    '> ',
    '- ',
    '1. ',
    '  ',
    '**',
    '_',
    '~~',
    '`',
    '```\n',
    '\n',
    '\n\n',
    '[d]: javascript:harm()\n',
    '[d]',
    '&#106;avascript:harm()',
    '\u202e',
    'word ',
  );
  const hostile = fc.oneof(
    fc.array(piece, { maxLength: 80 }).map((pieces) => pieces.join('')),
    fc.tuple(piece, fc.integer({ min: 100, max: 1_000 })).map(([each, times]) => each.repeat(times)),
    fc
      .tuple(piece, piece, fc.integer({ min: 100, max: 500 }))
      .map(([one, other, times]) => `${one}${other}`.repeat(times)),
    fc.string({ unit: 'binary' }),
  );

  test('makes of any text only known elements, safe addresses, and neither too many nor too deep', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const prose = proseOf(text);
        if (prose === undefined) return;
        const { tags, hrefs, count, depth } = measure(prose.parts);
        expect([...tags].filter((tag) => !allowed.has(tag))).toEqual([]);
        for (const href of hrefs) expect(new URL(href).protocol).toMatch(/^(?:https?|mailto):$/);
        expect(count).toBeLessThanOrEqual(Math.max(100, text.length / 6) + 4);
        // A list and its item, or a table and its cells, are one level.
        expect(depth).toBeLessThanOrEqual(2 * 20 + 4);
      }),
      {
        numRuns: 100,
        // Lists in tables in lists: what is within takes elements, too.
        examples: [['|a|b|\n|-|-|\n- '.repeat(100)], ['- |a|b|\n  |-|-|\n'.repeat(200)]],
      },
    );
  });

  test('is text beyond twenty levels, however it nests', () => {
    for (const text of [
      '> '.repeat(3_000),
      '- '.repeat(3_000),
      '1. '.repeat(2_000),
      '>- '.repeat(2_000),
      '**a _b '.repeat(2_000),
    ]) {
      const prose = proseOf(`${text}deep`);
      expect(measure(prose?.parts ?? []).depth).toBeLessThanOrEqual(2 * 20 + 4);
      expect(drawn(prose?.parts)).toContain('deep');
    }
  });

  test('is a huge table only as far as it is read, and text where it would be too many cells', () => {
    const table = `|a|b|\n|-|-|\n${'|1|2|\n'.repeat(5_000)}`;
    const prose = proseOf(table, 400);
    expect(prose?.rest).toBeGreaterThan(29_000);
    expect(measure(prose?.parts ?? []).count).toBeLessThanOrEqual(104);
    expect(read(`${table}\nafter`)).toContain('|1|2|');
  });

  test('is not read where it is longer than 100,000 characters, or mostly of what is not seen', () => {
    expect(proseOf('a '.repeat(50_000))).toBeDefined();
    expect(proseOf('a '.repeat(50_001))).toBeUndefined();
    expect(proseOf('a\u200b'.repeat(100))).toBeUndefined();
  });
});

describe('an answer that is JSON', () => {
  test('is indented, and each value stands as it was written', () => {
    expect(indentJson('{"a":[1,{"b":"x,{}\\" y"}],"c":{},"n":12345678901234567890,"n":[]}')).toBe(
      `{
  "a": [
    1,
    {
      "b": "x,{}\\" y"
    }
  ],
  "c": {},
  "n": 12345678901234567890,
  "n": []
}`,
    );
  });

  test('says the same as before, whatever it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())), (value) => {
        const text = JSON.stringify(value);
        expect(indentJson(text)).toBe(JSON.stringify(JSON.parse(text), undefined, 2));
      }),
    );
  });

  test('is an object or a list that can be read, and anything else is text', () => {
    for (const text of [
      '5',
      '"x"',
      'null',
      '{a: 1}',
      '[1] and on',
      '',
      '['.repeat(99_999),
      `${'['.repeat(30)}${']'.repeat(30)}`,
    ])
      expect(indentJson(text)).toBeUndefined();
    expect(indentJson(' [] ')).toBe('[]');
  });
});
