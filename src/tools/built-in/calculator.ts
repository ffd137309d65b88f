import { Parser } from 'expr-eval-fork';
import { z } from 'zod';
import type { ErrorCode } from '../../contracts/error.ts';
import { messageOf, TroupeError } from '../../contracts/error.ts';
import { tool } from '../define-tool.ts';

/** No honest sum is longer; in characters. */
const MAX_LENGTH = 1_000;

/** Neither is any nested deeper; the parser calls itself for each parenthesis and each sign before a number. */
const MAX_DEPTH = 100;

/** Digits that hold in a double: those after are noise, as in 0.1 + 0.2. */
const DIGITS = 15;

const constants: ReadonlyMap<string, number> = new Map([
  ['pi', Math.PI],
  ['e', Math.E],
]);

const functions = {
  abs: Math.abs,
  ceil: Math.ceil,
  floor: Math.floor,
  trunc: Math.trunc,
  sign: Math.sign,
  sqrt: Math.sqrt,
  cbrt: Math.cbrt,
  exp: Math.exp,
  ln: Math.log,
  log: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  pow: Math.pow,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  min: Math.min,
  max: Math.max,
  round: (value: number, digits = 0): number => Math.round(value * 10 ** digits) / 10 ** digits,
};

/** Signs that people write, as the parser knows them. */
const spellings: ReadonlyMap<string, string> = new Map([
  ['**', '^'],
  ['×', '*'],
  ['·', '*'],
  ['÷', '/'],
  ['−', '-'],
  ['mod', '%'],
]);

/** JavaScript's own remainder has the sign of the dividend. */
const modulo = (a: number, b: number): number => {
  const remainder = a % b;
  return remainder !== 0 && remainder < 0 !== b < 0 ? remainder + b : remainder;
};

/** Works formulas out without making code of them, so that it runs under a strict CSP; it knows what is here, no more. */
const parser = Object.assign(new Parser({ allowMemberAccess: false }), {
  consts: Object.fromEntries(constants),
  functions: { ...functions },
  unaryOps: { '-': (value: number) => -value, '+': Number },
  binaryOps: {
    '+': (a: number, b: number) => a + b,
    '-': (a: number, b: number) => a - b,
    '*': (a: number, b: number) => a * b,
    '/': (a: number, b: number) => a / b,
    '%': modulo,
    '^': Math.pow,
  },
});

const TOKEN =
  /\s*(?:(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?<word>[A-Za-z][A-Za-z0-9]*)|(?<sign>\*\*|[-+*/^%(),×·÷−]))\s*/y;

/**
 * Adds up what a formula says: `+ - * / % ^`, parentheses, decimals, `pi`, `e` and the usual functions.
 *
 * Only numbers, these signs and these names get as far as the parser; whatever else is in the text is an error,
 * as are a result that is no finite number and a text of more than 1,000 characters. `%` is the remainder, with
 * the sign of the divisor; `log` is the natural one; angles are in radians.
 *
 * @example
 * calculate('(2 + 3) * 4') // => 20
 *
 * @throws `tool.input-invalid` for what is no formula, `tool.failed` for what has no finite result.
 */
export const calculate = (expression: string): number => {
  if (expression.length > MAX_LENGTH)
    throw cannot(
      'tool.input-invalid',
      expression,
      `it is longer than ${MAX_LENGTH} characters`,
      expression.length,
    );
  const formula = read(expression);
  let result: unknown;
  try {
    result = parser.evaluate(formula);
  } catch (thrown) {
    throw cannot('tool.input-invalid', expression, 'it is no formula', messageOf(thrown).split('\n', 1)[0]);
  }
  // The name of a function alone.
  if (typeof result !== 'number') throw cannot('tool.input-invalid', expression, 'it is no formula', formula);
  if (!Number.isFinite(result))
    throw cannot('tool.failed', expression, 'its result is no finite number', result);
  return Number.isInteger(result) ? result : Number(result.toPrecision(DIGITS));
};

/** The text as the parser takes it: numbers, known signs and names only, each apart from the next. */
const read = (expression: string): string => {
  const parts: string[] = [];
  let open = 0;
  let signs = 0;
  TOKEN.lastIndex = 0;
  for (let at = 0; at < expression.length; at = TOKEN.lastIndex) {
    const found = TOKEN.exec(expression)?.groups;
    if (found === undefined)
      throw cannot(
        'tool.input-invalid',
        expression,
        'it holds something else than numbers, signs and known functions',
        expression.slice(at, at + 20),
      );
    const { number, word, sign } = found;
    if (word !== undefined && word !== 'mod' && !constants.has(word) && !Object.hasOwn(functions, word))
      throw cannot(
        'tool.input-invalid',
        expression,
        `it may use ${Object.keys(functions).join(', ')} only`,
        word,
      );
    const given = number ?? word ?? sign ?? '';
    const part = spellings.get(given) ?? given;
    open += Number(part === '(') - Number(part === ')');
    signs = part === '-' || part === '+' ? signs + 1 : 0;
    if (open + signs > MAX_DEPTH)
      throw cannot('tool.input-invalid', expression, `it is nested deeper than ${MAX_DEPTH}`, open + signs);
    parts.push(part);
  }
  if (parts.length === 0)
    throw cannot('tool.input-invalid', expression, 'there is no formula', `'${expression}'`);
  return parts.join(' ');
};

const cannot = (code: ErrorCode, expression: string, reason: string, found: unknown): TroupeError => {
  const shown = expression.length > 60 ? `${expression.slice(0, 60)}…` : expression;
  return new TroupeError(code, `Cannot calculate '${shown}' as ${reason}: ${messageOf(found)}`, {
    retryable: code === 'tool.input-invalid' ? 'maybe' : 'no',
    tool: 'calculator',
  });
};

/**
 * The tool `calculator`: gives a model exact sums. See {@link calculate} for what it understands.
 *
 * @example
 * agent({ name: 'clerk', tools: [calculator] });
 */
export const calculator = tool({
  name: 'calculator',
  description:
    'Calculates a formula and gives the number. Knows + - * / % ^, parentheses, decimals, pi, e and the functions ' +
    `${Object.keys(functions).join(', ')}. Examples: "2 + 2", "round(19.99 * 3, 2)", "sqrt(3^2 + 4^2)".`,
  category: 'math',
  input: z.object({ expression: z.string().describe('The formula, such as "(2 + 3) * 4".') }),
  describe: ({ expression }) => `Calculating ${expression.slice(0, 50)}`,
  // The same formula fails the same way.
  retry: false,
  execute: ({ expression }) => calculate(expression),
});
