import fc from 'fast-check';
import { z } from 'zod';
import type { Decision } from '../../src/contracts/agents/decision.ts';
import type { JsonObject } from '../../src/base/json/json.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { anyCharacter } from './any-character.ts';

const note = tool({
  name: 'note',
  description: 'Writes something down.',
  input: z.object({ text: z.string() }),
  execute: ({ text }) => ({ kept: text }),
});

/** An agent of two steps, which says and writes down `text`. */
export const clerkWith = (state: JsonObject, text: string) =>
  agent({
    name: 'clerk',
    tools: [note],
    state,
    decide: ({ step }): Decision =>
      step === 0
        ? { kind: 'act', calls: [{ name: 'note', input: { text } }] }
        : { kind: 'answer', answer: text === '' ? 'nothing' : text },
  });

export const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: 'grapheme' }),
  fc.constant(''),
);
const named = fc.string({ unit: 'grapheme-ascii', minLength: 1 });
const json = fc.jsonValue({ maxDepth: 3 });
export const objects = fc.dictionary(named, json, { maxKeys: 3 });

/** A turn of a history. */
export const turn = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record(
      { role: fc.constant('user'), text: anyText, from: named },
      { requiredKeys: ['role', 'text'] },
    ),
  },
  {
    weight: 4,
    arbitrary: fc.record(
      {
        role: fc.constant('assistant'),
        text: anyText,
        reasoning: anyText,
        calls: fc.array(
          fc.record(
            { id: named, name: named, input: json, provider_field: json },
            { requiredKeys: ['id', 'name', 'input'] },
          ),
          { maxLength: 3 },
        ),
        replay: fc.record({ provider: named, content: json }),
        provider_field: json,
      },
      { requiredKeys: ['role', 'text'] },
    ),
  },
  {
    weight: 4,
    arbitrary: fc.record(
      { role: fc.constant('tool'), text: anyText, callId: named, tool: named, failed: fc.boolean() },
      { requiredKeys: ['role', 'text', 'callId', 'tool'] },
    ),
  },
);

/** What no check lets through: in JavaScript anything may come. */
export const noTurn = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'developer', 'function', 7, null), text: anyText }),
  fc.record({ role: fc.constant('tool'), text: anyText }),
  fc.record({
    role: fc.constant('assistant'),
    text: anyText,
    calls: fc.constantFrom('x', [{}], [{ id: 'a', name: 'b', input: 1n }]),
  }),
  fc.anything({ withBigInt: true, withDate: true, withMap: true }),
);

/** What a run may be given, with a history of such turns. */
export const options = (most: fc.Arbitrary<unknown>): fc.Arbitrary<RunOptions> =>
  fc.record(
    {
      runId: fc.oneof(named, anyText),
      history: fc.array(most, { maxLength: 6 }),
      thread: fc.oneof(named, anyText),
      task: fc.oneof(
        named,
        fc.record(
          {
            objective: named,
            inputs: objects,
            metadata: objects,
            constraints: fc.array(named, { maxLength: 2 }),
            id: named,
          },
          { requiredKeys: ['objective'] },
        ),
      ),
      limits: fc.record(
        {
          maxDepth: fc.constantFrom(1, 20, Infinity),
          maxAgents: fc.constantFrom(5, Infinity),
          maxChildren: fc.constantFrom(1, Infinity),
          concurrency: fc.constantFrom(1, 3, Infinity),
          messages: fc.record(
            { maxHops: fc.constant(2), maxExchanges: fc.constant(1) },
            { requiredKeys: [] },
          ),
          budget: fc.record(
            {
              steps: fc.constantFrom(2, 20, Infinity),
              tokens: fc.constantFrom(10_000, Infinity),
              timeMs: fc.constantFrom(1e9, Infinity),
              toolCalls: fc.constantFrom(0, 1, Infinity),
              usd: fc.constantFrom(0, 0.25, Infinity),
              unpriced: fc.constantFrom('refuse', 'ignore'),
              warnAt: fc.constantFrom(0.1, 1),
            },
            { requiredKeys: [] },
          ),
        },
        { requiredKeys: [] },
      ),
      context: fc.constantFrom(undefined, () => 1, { tenant: 7n }),
      requests: fc.record({ expireAfterMs: fc.constant(1e9) }, { requiredKeys: [] }),
      prices: fc.constant({ name: 'free', cost: () => 0 }),
      secrets: fc.constant({ UNSAID: 'nobody-ever-said-this-1' }),
    },
    { requiredKeys: [] },
    // What does not fit the type is what the test is about.
  ) as fc.Arbitrary<RunOptions>;

/** A run of {@link clerkWith} as somebody may ask for it. */
export interface Asked {
  readonly given: RunOptions;
  readonly state: JsonObject;
  readonly text: string;
}

/** What somebody may ask for, mostly what is accepted. */
export const asked: fc.Arbitrary<Asked> = fc.record({
  given: fc.oneof({ weight: 5, arbitrary: options(turn) }, { weight: 1, arbitrary: options(noTurn) }),
  // Of JSON values these are.
  state: objects as fc.Arbitrary<JsonObject>,
  text: anyText,
});

/** What somebody asked for, by its number: the same in every process. */
export interface Subject {
  readonly seed: number;
  readonly asked: Asked;
  readonly runId: string;
}

export const subjectOf = (seed: number): Subject => {
  const [found] = fc.sample(asked, { seed, numRuns: 1 });
  if (found === undefined) throw new Error('nothing was generated');
  return { seed, asked: found, runId: found.given.runId ?? 'r' };
};
