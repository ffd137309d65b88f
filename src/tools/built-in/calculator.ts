import * as z from 'zod/mini';
import { describeSchema } from '../../base/schemas/describe-schema.ts';
import { inEnglish } from '../../base/schemas/in-english.ts';
import type { ErrorCode } from '../../contracts/errors/error-data.ts';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import { packageTool } from '../define/define-tool.ts';

/** No honest sum is longer; in characters. */
const MAX_LENGTH = 1_000;

/** Neither is any nested deeper; the parser calls itself for each parenthesis and each sign before a number. */
const MAX_DEPTH = 100;

/** Significant digits of a double: further ones are noise, as in 0.1 + 0.2. */
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

const known: ReadonlyMap<string, (...given: number[]) => number> = new Map(Object.entries(functions));

/** Common spellings of operators. */
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

const TOKEN =
  /\s*(?:(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?<word>[A-Za-z][A-Za-z0-9]*)|(?<sign>\*\*|\/\/|[-+*/^%(),×·÷−]))\s*/y;

/**
 * Evaluates a formula: `+ - * / // % ^`, parentheses, decimals, `pi`, `e` and the usual functions.
 *
 * Only numbers and these operators and names reach the parser; anything else in the text is an error, and so are a
 * non-finite result and a text of more than 1,000 characters. `//` is the quotient rounded down, and `%` the remainder
 * with the sign of the divisor; `**` is `^`; `log` is the natural logarithm; angles are in radians.
 *
 * @example
 * calculate('(2 + 3) * 4') // => 20
 *
 * @throws `tool.input-invalid` for an invalid formula, `tool.failed` if there is no finite result.
 */
export const calculate = (expression: string): number => {
  if (expression.length > MAX_LENGTH)
    throw cannot(
      'tool.input-invalid',
      expression,
      `it is longer than ${MAX_LENGTH} characters`,
      expression.length,
    );
  const formula = new Formula(readParts(expression));
  const result = formula.value();
  if (result === undefined)
    throw cannot('tool.input-invalid', expression, 'it is not a formula', formula.rest());
  if (!Number.isFinite(result))
    throw cannot('tool.failed', expression, 'its result is not a finite number', result);
  // Normalises -0.
  if (result === 0) return 0;
  return Number.isInteger(result) ? result : Number(result.toPrecision(DIGITS));
};

/** The text in its parts: numbers, known signs and names only. */
const readParts = (expression: string): readonly string[] => {
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
        'it contains something other than numbers, operators and known functions',
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
  return parts;
};

const cannot = (code: ErrorCode, expression: string, reason: string, found: unknown): TroupeError => {
  const shown = expression.length > 60 ? `${expression.slice(0, 60)}…` : expression;
  return new TroupeError(code, `Cannot calculate '${shown}' as ${reason}: ${messageOf(found)}`, {
    retryable: code === 'tool.input-invalid' ? 'maybe' : 'no',
    tool: 'calculator',
  });
};

const PRODUCTS: ReadonlyMap<string, (a: number, b: number) => number> = new Map([
  ['*', (a, b) => a * b],
  ['/', (a, b) => a / b],
  ['//', (a, b) => Math.floor(a / b)],
  ['%', modulo],
]);

/** Works a formula out without making code of it, so that it runs under a strict CSP. */
class Formula {
  readonly #parts: readonly string[];
  #at = 0;

  constructor(parts: readonly string[]) {
    this.#parts = parts;
  }

  /** Parses and evaluates; undefined if the parts are not a formula. */
  value(): number | undefined {
    const result = this.#sum();
    return this.#at < this.#parts.length ? undefined : result;
  }

  /** Returns the unparsed rest. */
  rest(): string {
    return this.#parts.slice(this.#at).join(' ') || 'it ends too early';
  }

  #take(part: string): boolean {
    if (this.#parts[this.#at] !== part) return false;
    this.#at += 1;
    return true;
  }

  #sum(): number | undefined {
    let left = this.#product();
    while (left !== undefined) {
      const isPlus = this.#take('+');
      if (!isPlus && !this.#take('-')) return left;
      const right = this.#product();
      left = right === undefined ? undefined : isPlus ? left + right : left - right;
    }
    return undefined;
  }

  #product(): number | undefined {
    let left = this.#signed();
    while (left !== undefined) {
      const operation = PRODUCTS.get(this.#parts[this.#at] ?? '');
      if (operation === undefined) return left;
      this.#at += 1;
      const right = this.#signed();
      left = right === undefined ? undefined : operation(left, right);
    }
    return undefined;
  }

  #signed(): number | undefined {
    if (this.#take('+')) return this.#signed();
    if (!this.#take('-')) return this.#power();
    const value = this.#signed();
    return value === undefined ? undefined : -value;
  }

  /** To the right first: 2^3^2 is 2^9; and before a sign: -2^2 is -4. */
  #power(): number | undefined {
    const base = this.#single();
    if (base === undefined || !this.#take('^')) return base;
    const exponent = this.#signed();
    return exponent === undefined ? undefined : base ** exponent;
  }

  #single(): number | undefined {
    if (this.#take('(')) {
      const value = this.#sum();
      return this.#take(')') ? value : undefined;
    }
    const part = this.#parts[this.#at] ?? '';
    if (/^[\d.]/.test(part)) {
      this.#at += 1;
      return Number(part);
    }
    const constant = constants.get(part);
    if (constant !== undefined) {
      this.#at += 1;
      return constant;
    }
    const call = known.get(part);
    if (call === undefined) return undefined;
    this.#at += 1;
    const given = this.#arguments();
    return given === undefined ? undefined : call(...given);
  }

  #arguments(): number[] | undefined {
    if (!this.#take('(')) return undefined;
    const given: number[] = [];
    do {
      const value = this.#sum();
      if (value === undefined) return undefined;
      given.push(value);
    } while (this.#take(','));
    return this.#take(')') ? given : undefined;
  }
}

/**
 * The tool `calculator`: gives a model exact arithmetic. See {@link calculate} for the syntax.
 *
 * @example
 * agent({ name: 'clerk', tools: [calculator] });
 */
export const calculator = packageTool({
  name: 'calculator',
  description:
    'Calculates a formula and gives the number. Knows + - * / // (rounded down) % ^ **, parentheses, decimals, pi, e and the functions ' +
    `${Object.keys(functions).join(', ')}. Examples: "2 + 2", "round(19.99 * 3, 2)", "sqrt(3^2 + 4^2)".`,
  category: 'math',
  input: () =>
    inEnglish(z.object({ expression: describeSchema(z.string(), 'The formula, such as "(2 + 3) * 4".') })),
  describe: ({ expression }) => `Calculating ${expression.slice(0, 50)}`,
  // The same formula fails the same way.
  retry: false,
  execute: ({ expression }) => calculate(expression),
});
