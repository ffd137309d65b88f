import type { Json, JsonObject } from '../../../src/base/json/json.ts';
import { linearPattern } from '../../../src/base/text/linear-pattern.ts';
import { printable } from '../../../src/base/text/printable.ts';
import { plain } from '../../../src/inspect/drawing/plain-text.ts';
import { callArguments } from '../../../src/models/calls/call-arguments.ts';
import { resolveModel } from '../../../src/models/model-registry.ts';
import { redactor } from '../../../src/policy/redaction.ts';
import { calculate } from '../../../src/tools/built-in/calculator.ts';
import { jsonSchemaIssues } from '../../../src/tools/schemas/json-schema-check.ts';
import { negatives, positives } from '../../support/secret-corpus.ts';
import type { Row } from './row.ts';
import { rowOf, throws } from './row.ts';

export const formulas = rowOf<string>(
  (formula) => throws(() => calculate(formula)),
  [
    '',
    'process.exit()',
    'constructor.constructor("return process")()',
    'this',
    '__proto__',
    'toString',
    'globalThis',
    '`${1}`',
    '"a" + "b"',
    '9**9**9**9',
    '1e309',
    '1 / 0',
    '0/0',
    'sqrt(-1)',
    'min()',
    '('.repeat(100_000),
    '-'.repeat(999) + '1',
    '٣ + ٣',
    '１ + １',
    '1; 2',
    'a = 5',
    '[1, 2]',
    '2(3)',
    '1,000',
    'sqrt',
    'if 1 then 2 else 3',
    '1 == 1',
    '0x10',
    '1_000',
    '1\0',
    '// 1',
    'require("fs")',
    'pi.constructor',
    'import("fs")',
    'max.constructor("x")',
    '() => 1',
    '1 ? 2 : 3',
    'new Date()',
    'eval("1")',
    '2 +',
  ],
  [
    '2 + 2',
    '(2 + 3) * 4',
    '-5 + +3',
    '2 ^ 3 ^ 2',
    '2 ** 10',
    '2 ^ -1',
    '0.1 + 0.2',
    '.5 + 5.',
    '10 % 3',
    '1e3 + 2.5E-1',
    '10 mod 3',
    '6 × 7 ÷ 2 − 1',
    'sqrt(3^2 + 4^2)',
    'round(19.99 * 3, 2)',
    'cos(2 * pi)',
    'min(3, 1, 2) + max(1, 2)',
    'abs(-3) + floor(2.9)',
    'ln(e) + log10(1000)',
    '((((((1))))))',
    '9007199254740991',
  ],
  (formula) => formula.slice(0, 40),
);

const isPolluted = (): boolean => Reflect.get({}, 'polluted') !== undefined;

export const prototypes = rowOf<string>(
  (text) => callArguments(text).problem !== undefined && !isPolluted(),
  [
    '{"__proto__":{"polluted":1}}',
    '{"__proto__":null}',
    '{"a":{"__proto__":{"polluted":1}}}',
    '{"a":[{"b":{"__proto__":{"polluted":1}}}]}',
    '[{"__proto__":{"polluted":1}}]',
    '{"constructor":{"prototype":{"polluted":1}}}',
    '{"a":{"constructor":{"prototype":{"polluted":1}}}}',
    '{"prototype":{"polluted":1}}',
    '{"\\u005f_proto__":{"polluted":1}}',
    '{"\\u005f\\u005fproto\\u005f\\u005f":{"polluted":1}}',
    '{"c\\u006fnstructor":{"polluted":1}}',
    '{"a":1,"a":2,"__proto__":{"polluted":1}}',
  ],
  [
    '{"proto":1}',
    '{"_proto_":1}',
    '{"__proto":1}',
    '{"constructors":[1]}',
    '{"a":"__proto__"}',
    '{"a":["constructor","prototype"]}',
    '{"Constructor":1}',
  ],
);

export const jsonTexts = rowOf<string>(
  (text) => callArguments(text).problem !== undefined,
  [
    '{"a":',
    '{a: 1}',
    "{'a':1}",
    '{"a": NaN}',
    '{"a":Infinity}',
    '{"a":1e999}',
    '[1,-1e999]',
    '{"a":01}',
    '{"a":1,}',
    '[1,]',
    '[1 2]',
    '{"a" 1}',
    '{"a":1}}',
    '{"a":1}{',
    '[',
    ']',
    '"',
    '"\n"',
    '"\\x"',
    '"\\u12"',
    'nul',
    'True',
    'undefined',
    '+1',
    '.5',
    '5.',
    '0x1',
    '{"a":/* */1}',
    '// x\n{}',
    '\ufeff{x}',
    '{"a":"\0"}',
    '['.repeat(10_000) + ']'.repeat(10_000),
    '{"a":'.repeat(5_000),
    '<a/>',
    '{"a":1e}',
    '{"a":-}',
    '{"":}',
  ],
  [
    '{}',
    '',
    '{"a":1}',
    'null',
    '[]',
    '5',
    '""',
    '{"a":{"b":[1,2,{"c":null}]}}',
    '{"a":"\\u00e9\\ud83d\\ude42"}',
    '{"":1}',
    '{"a":1e3,"b":-0.5}',
    ' {"a" : 1 } ',
    '{"a":"\\n\\t\\"\\\\"}',
    '[[[[[[[[1]]]]]]]]',
    '{"a":"ü🙂"}',
    `{"a":"${'x'.repeat(100_000)}"}`,
  ],
  (text) => text.slice(0, 40),
);

// Whatever a terminal acts on, and whatever changes the direction of what is read.
const ACTIVE = /(?![\t\n])\p{Cc}|[\u202A-\u202E\u2066-\u2069]/u;
const [ESC, BEL, CSI, NUL, DEL] = [0x1b, 0x07, 0x9b, 0x00, 0x7f].map((code) => String.fromCodePoint(code));

/** Texts on a terminal and a page: refused is what has nothing left that either would act on. */
export const texts: Row = {
  hostile: [
    `${ESC}[31mred${ESC}[0m`,
    `${ESC}[2J${ESC}[H`,
    `${ESC}]52;c;aGk=${BEL}`,
    `${ESC}]8;;http://evil.test${ESC}\\here${ESC}]8;;${ESC}\\`,
    `${CSI}31mred`,
    `a${BEL}b`,
    `a${NUL}b`,
    `a${DEL}b`,
    'over\rwritten',
    'abc\b\b\bxyz',
    'safe\u202egnp.exe',
    '\u2066isolate\u2069',
    `${ESC}P1$r${ESC}\\`,
    `${ESC}c`,
    `${ESC}${ESC}[31m[31m`,
  ].map((text) => [JSON.stringify(text), () => !ACTIVE.test(printable(text)) && !ACTIVE.test(plain(text))]),
  honest: [
    'plain',
    'naïve café',
    '日本語',
    '🙂👩‍👩‍👧',
    'two\nlines\tand a tab',
    'שלום',
    'مرحبا',
    "'; DROP TABLE runs; --",
    '<script>alert(1)</script>',
    '${jndi:ldap://x}',
    '\\u001b[31m',
    'null',
    '𝒳 ｆｕｌｌ',
  ].map((text) => [JSON.stringify(text), () => printable(text) !== text]),
};

type Checked = readonly [schema: JsonObject, value: Json];
const person: JsonObject = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 1 }, age: { type: 'integer', minimum: 0 } },
  required: ['name'],
  additionalProperties: false,
};
const tree: JsonObject = {
  $ref: '#/$defs/node',
  $defs: {
    node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, additionalProperties: false },
  },
};
const code: JsonObject = { type: 'string', pattern: '^(a+)+$' };
const choice: JsonObject = { oneOf: [{ type: 'string' }, { type: 'number', maximum: 5 }] };
const few: JsonObject = { type: 'array', items: { enum: ['a', 'b'] }, uniqueItems: true, maxItems: 2 };

export const schemas = rowOf<Checked>(
  ([schema, value]) => jsonSchemaIssues(schema, value).length > 0,
  [
    [person, null],
    [person, []],
    [person, {}],
    [person, { name: '' }],
    [person, { name: 5 }],
    [person, { name: 'a', age: -1 }],
    [person, { name: 'a', age: 1.5 }],
    [person, { name: 'a', age: '1' }],
    [person, { name: 'a', isAdmin: true }],
    [person, { name: ['a'] }],
    [tree, { next: { next: { other: 1 } } }],
    [tree, { next: 5 }],
    [code, `${'a'.repeat(5_000)}!`],
    [choice, true],
    [choice, 6],
    [few, ['a', 'a']],
    [few, ['a', 'c']],
    [few, ['a', 'b', 'a']],
    [{ not: {} }, 1],
    [{ const: { a: 1 } }, { a: 1, b: 2 }],
  ],
  [
    [person, { name: 'a' }],
    [person, { name: 'a', age: 0 }],
    [tree, {}],
    [tree, { next: { next: {} } }],
    [code, 'aaa'],
    [choice, 'x'],
    [choice, 5],
    [few, []],
    [few, ['b', 'a']],
    [{ const: { a: 1 } }, { a: 1 }],
  ],
  (checked) => JSON.stringify(checked).slice(0, 120),
);

const redact = redactor({});

/** Secrets by their form alone: refused is one of which no line is left. */
export const secrets: Row = {
  hostile: positives(1).map(({ secret, text }) => [
    text,
    () => secret.split('\n').every((line) => !redact(text).includes(line)),
  ]),
  honest: negatives(1).map(({ text }) => [text, () => redact(text) !== text]),
};

/** Patterns that others wrote: refused is one that does not match a long text by trying all ways. */
export const patterns: Row = {
  hostile: [
    '^(a+)+$',
    '^(a|a)*$',
    '^(a|aa)+$',
    '(a*)*b',
    '^(?:a?){40}a{40}$',
    '(x+x+)+y',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '^(a{1,30}){1,30}$',
    '^(?=(a+)+$)a',
    '(.*a){20}$',
    '^(a|b|ab)*c',
    '(\\w+\\s?)*!$',
    '([a-zA-Z]+)*$!',
  ].map((source) => [
    source,
    () => linearPattern(source)?.test(`${'a'.repeat(3_000)}${'x'.repeat(3_000)}!?`) !== true,
  ]),
  honest: (
    [
      ['^\\d{4}-\\d{2}-\\d{2}$', '2026-01-31'],
      ['^[\\w.]+@[\\w.]+$', 'ann@example.org'],
      ['a|b', 'xb'],
      ['^(a|b)*$', 'abba'],
      ['\\bword\\b', 'a word here'],
      ['^(?=.*x)', 'ax'],
      ['^.{3}$', 'ü🙂a'],
      ['^[^/]+$', 'file'],
    ] as const
  ).map(([source, text]) => [source, () => linearPattern(source)?.test(text) !== true]),
};

const modules = ['evil', 'evil:x', '../evil', 'file:///tmp/evil.mjs', 'node:fs', 'data:text/javascript,1'];

/** Names of models that a configuration gives: refused is one that is not in the registry, so that nothing is loaded by it. */
export const modelNames = rowOf<string>(
  (name) => throws(() => resolveModel(name, {})),
  [
    ...modules,
    '__proto__',
    'constructor:x',
    'toString',
    'openai/../evil:x',
    'OPENAI\0:x',
    'https://evil.test:x',
  ],
  ['offline', 'OFFLINE'],
);
