import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AgentOptions } from '../../src/contracts/agents/agent.ts';
import { answer } from '../../src/contracts/agents/decision.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import { stopWhen } from '../../src/index.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { replay } from '../../src/runtime/journal/replay/replay.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { settled, start } from '../support/runs.ts';

const circular: Record<string, unknown> = { big: 1n, when: new Date(0) };
circular['self'] = circular;

const nasty = (): TroupeError =>
  Object.assign(new TroupeError('tool.failed', 'x', { details: circular as never }), { circular });

const throwing = (): never => {
  throw nasty();
};

const base = { name: 'pay', description: 'Pays.', input: z.object({}) };
const paid = tool({ ...base, execute: () => 'paid' });
const lying = (more: object) =>
  tool({ ...base, execute: () => 'paid', ...more } as Parameters<typeof tool>[0]);

const odd = { name: 'odd', priority: 200 };

/** What code of an app may do where types hold nobody. */
const PARTS: readonly [string, Partial<AgentOptions>, RunOptions][] = [
  ['a tool that throws it', { tools: [lying({ execute: throwing })] }, {}],
  ['a tool that gives it', { tools: [lying({ execute: () => circular })] }, {}],
  ['a tool that rejects with it', { tools: [lying({ execute: () => Promise.reject(circular) })] }, {}],
  ['a tool that is described with it', { tools: [lying({ describe: () => circular })] }, {}],
  [
    'a person whose answer it is',
    { tools: [lying({ approval: true })] },
    { person: { approve: () => circular as never } },
  ],
  ['a person who throws it', { tools: [lying({ approval: true })] }, { person: { approve: throwing } }],
  ['a safety strategy that gives it', {}, { safety: (() => circular) as never }],
  [
    'a safety strategy whose reason it is',
    {},
    { safety: (() => ({ verdict: 'deny', reason: circular })) as never },
  ],
  ['a safety strategy that throws it', {}, { safety: throwing }],
  ['an executor that gives it', {}, { executor: (() => circular) as never }],
  ['a critic that gives it', { critics: [{ name: 'c', critique: () => circular as never }] }, {}],
  [
    'a critic whose note it is',
    { critics: [{ name: 'c', critique: () => ({ verdict: 'revise', note: circular }) as never }] },
    {},
  ],
  ['a critic that throws it', { critics: [{ name: 'c', critique: throwing }] }, {}],
  ['a rule that gives it', { stop: [stopWhen('odd', () => circular as never), maxSteps(3)] }, {}],
  ['a rule that throws it', { stop: [stopWhen('odd', throwing), maxSteps(3)] }, {}],
  ['a decision that it is', { model: undefined, decide: () => circular as never }, {}],
  ['a decision that throws it', { model: undefined, decide: throwing }, {}],
  ['an answer that it is', { model: undefined, decide: () => answer(circular as never) }, {}],
  ['a reducer that gives it', { state: 0, reduce: () => circular as never }, {}],
  ['a reducer that throws it', { state: 0, reduce: throwing }, {}],
  [
    'a fragment that gives it',
    { conversation: { fragments: [{ ...odd, text: () => circular as never }] } },
    {},
  ],
  ['a fragment that throws it', { conversation: { fragments: [{ ...odd, text: throwing }] } }, {}],
  ['an observation that it is', { observe: (() => circular) as never }, {}],
  ['an observation that throws it', { observe: throwing }, {}],
];

const one = (parts: Partial<AgentOptions>) =>
  agent({
    name: 'ada',
    model: scriptedModel([calls({ name: 'pay', input: {} }), 'b', 'c', 'd', 'e']),
    tools: [paid],
    stop: [maxSteps(4)],
    ...parts,
  } as AgentOptions);

describe('code of an app that lies', () => {
  test.each(PARTS)(
    '%s: the run ends, and all that is told of it is plain JSON',
    async (_, parts, options) => {
      const result = await settled(start(one(parts), 'go', options));
      for (const event of result.events) expect(JSON.parse(JSON.stringify(event))).toEqual(event);
      expect(JSON.parse(JSON.stringify(result.output ?? null))).toEqual(result.output ?? null);
      expect(result.events.at(-1)?.type).toBe('run.ended');
    },
  );
});

test.each(PARTS)(
  '[FIND-55] a stored run of an app that lies is replayed as it was: %s',
  async (_, parts, options) => {
    const store = memoryStore();
    const result = await settled(one(parts).stream('go', { ...options, store, runId: 'r' }));
    const again = await replay(one(parts), 'r', { store });
    expect(again.events).toEqual(result.events);
  },
);
