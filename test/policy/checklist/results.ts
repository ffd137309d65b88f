import { z } from 'zod';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import type { Row } from './row.ts';

/** A limit of what a model reads of a result, and some for the words around it. */
const MOST_CHARACTERS = 70_000;

const cyclic: unknown[] = [];
cyclic.push(cyclic);
const deep = (levels: number): unknown => {
  let value: unknown = null;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
};
const biting = new Proxy(
  {},
  {
    ownKeys: () => {
      throw new Error('it bites');
    },
  },
);
const throwing = {
  get name() {
    throw new Error('it throws');
  },
};

/** The text of the result of a tool that returns this, in a run that completes. */
const resultOf = async (made: () => unknown): Promise<{ readonly isOk: boolean; readonly text: string }> => {
  const make = tool({
    name: 'make',
    description: 'Makes something.',
    input: z.object({}),
    execute: async () => made(),
  });
  const model = scriptedModel([calls({ name: 'make', input: {} }), 'Done.']);
  const { records, output } = await agent({ name: 'maker', tools: [make], model }).run('Go.');
  const [result] = records[0]?.results ?? [];
  if (output !== 'Done.' || result === undefined) throw new Error('the run did not complete');
  return { isOk: result.ok, text: result.text };
};

/** Values that tools return, and what they throw. */
type Makers = Readonly<Record<string, () => unknown>>;

const hostileResults: Makers = {
  'twenty million characters': () => 'x'.repeat(20_000_000),
  'a million numbers': () => Array.from({ length: 1_000_000 }, (_, index) => index),
  'a hundred thousand levels': () => deep(100_000),
  'a circle': () => cyclic,
  'a bigint': () => 1n,
  'a symbol': () => Symbol('x'),
  'a function': () => () => 1,
  'not a number': () => Number.NaN,
  'a proxy that throws': () => biting,
  'a getter that throws': () => throwing,
  'a toJSON that throws': () => ({
    toJSON: () => {
      throw new Error('no JSON');
    },
  }),
  'an error that is no error': () => Promise.reject(null as never),
  'an error with a long message': () => {
    throw new Error('x'.repeat(5_000_000));
  },
};

const honestResults: Makers = {
  'a text': () => 'fine',
  'a number': () => 5,
  nothing: () => null,
  'an object': () => ({ a: [1, { b: 2 }] }),
  'ten thousand characters': () => 'x'.repeat(10_000),
};

/** What tools return: refused is what leaves the run whole, and the model with a text that is bounded. */
export const results: Row = {
  hostile: Object.entries(hostileResults).map(([name, made]) => [
    name,
    async () => (await resultOf(made)).text.length <= MOST_CHARACTERS,
  ]),
  honest: Object.entries(honestResults).map(([name, made]) => [
    name,
    async () => !(await resultOf(made)).isOk,
  ]),
};
