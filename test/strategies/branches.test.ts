import { expect, test } from 'vitest';
import { branching } from '../../src/actors/strategies/branching.ts';
import { greedy } from '../../src/actors/strategies/search-policy.ts';
import { treeSearch } from '../../src/actors/strategies/tree-search.ts';
import type { Candidate } from '../../src/contracts/agents/decision.ts';
import { act, answer, bestCandidate, branch, handoff, wait } from '../../src/contracts/agents/decision.ts';
import { runtimeEventSchema } from '../../src/contracts/events/event.ts';
import { isJsonObject } from '../../src/base/json/json.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { echo, ofType, phasesOf, settled, start } from '../support/runs.ts';

const say = (text: string) => act({ name: 'echo', input: { text } });

const run = (decide: Parameters<typeof agent>[0]['decide'], script: readonly string[] = ['from the model']) =>
  settled(
    start(agent({ name: 'a', tools: [echo], model: scriptedModel(script), ...(decide && { decide }) }), 'go'),
  );

test('[QITOS-14] a branch of three shows its candidates, their scores and the choice, in event and record', async () => {
  const candidates = [
    { decision: say('a'), score: 0.2, label: 'ask' },
    { decision: say('b'), score: 0.9 },
    { decision: wait('for rain') },
  ];
  const { events, records } = await run(({ step }) =>
    step === 0 ? branch(candidates, bestCandidate) : undefined,
  );
  const shown = { candidates, chosen: [1] };
  expect(ofType(events, 'agent.decided')[0]).toMatchObject({
    decision: say('b'),
    branch: shown,
  });
  expect(records[0]).toMatchObject({
    decision: say('b'),
    branch: shown,
    results: [{ text: 'b' }],
  });
  expect(records[1]).not.toHaveProperty('branch');
  expect(events.map((event) => runtimeEventSchema.safeParse(event).success)).not.toContain(false);
  expect(JSON.parse(JSON.stringify(records))).toEqual(records);
});

test('[QITOS-14] without a selector the first candidate is taken; a branch within a branch is picked from in turn', async () => {
  const plain = await run(() => branch([{ decision: answer('first') }, { decision: answer('second') }]));
  expect(plain.output).toBe('first');
  const inner = branch(
    [
      { decision: answer('poor'), score: 0.1 },
      { decision: handoff('billing'), score: 0.6 },
    ],
    async (candidates, seen) => bestCandidate(candidates, seen),
  );
  const nested = await run(() => branch([{ decision: answer('x') }, { decision: inner }], (all) => all[1]));
  expect(nested.stopReason).toEqual({ kind: 'handedOff', to: 'billing' });
  expect(nested.records[0]?.branch?.chosen).toEqual([1, 1]);
});

test('a selector that picks nothing leaves it to the model', async () => {
  const { output, records } = await run(() => branch([{ decision: answer('x') }], () => undefined));
  expect(output).toBe('from the model');
  expect(records[0]).not.toHaveProperty('branch');
});

test.each([
  ['no candidates', { kind: 'branch', candidates: [] }, 'candidates: '],
  ['no list', { kind: 'branch' }, 'candidates: '],
  ['a candidate without a decision', { kind: 'branch', candidates: [{}] }, 'candidates.0.decision'],
  [
    'a candidate deep below that is none',
    { kind: 'branch', candidates: [{ decision: { kind: 'branch', candidates: [{ decision: act() }] } }] },
    'candidates.0.decision.candidates.0.decision.calls',
  ],
  [
    'a score that is none',
    { kind: 'branch', candidates: [{ decision: answer('x'), score: Number.NaN }] },
    'candidates.0.score',
  ],
  [
    'a selector that is none',
    { kind: 'branch', candidates: [{ decision: answer('x') }], select: 'best' },
    'not a function: string',
  ],
  [
    'a selector that picks something else',
    { kind: 'branch', candidates: [{ decision: answer('x') }], select: () => ({ decision: answer('z') }) },
    '"answer":"z"',
  ],
  ['itself for a candidate', circular(), 'circular'],
])(
  '[QITOS-12] a branch with %s fails the run as decision.invalid, and says what was found',
  async (_, bad, found) => {
    // What comes from JavaScript may be anything.
    const { error, status } = await run(() => bad as never);
    expect(status).toBe('failed');
    expect(error).toMatchObject({ code: 'decision.invalid', phase: 'DECIDE' });
    expect(error?.message).toContain(found);
  },
);

test('[QITOS-14] a tree search walks a maze in a real run: expands, scores, prunes, backtracks, selects, and shows it', async () => {
  // From the hall a door that looks best leads nowhere; the stairs lead to the roof.
  const rooms: Record<string, readonly (readonly [string, number])[]> = {
    hall: [
      ['door', 0.9],
      ['stairs', 0.5],
      ['window', 0.1],
    ],
    door: [],
    stairs: [['roof', 0.4]],
  };
  const roomOf = (path: readonly Candidate[], from: string) => path.at(-1)?.label ?? from;
  const moves: string[][] = [];
  const strategy = treeSearch({
    policy: greedy({ keep: 2 }),
    maxDepth: 2,
    isGoal: (path) => path.at(-1)?.label === 'roof',
    expand: ({ state }, path) => {
      const here = isJsonObject(state) && typeof state['room'] === 'string' ? state['room'] : 'hall';
      return (rooms[roomOf(path, here)] ?? []).map(([label]) => ({ decision: say(label), label }));
    },
    score: (candidates) =>
      candidates.map(
        ({ label }) =>
          Object.values(rooms)
            .flat()
            .find(([name]) => name === label)?.[1] ?? 0,
      ),
    onSearched: (found) => void moves.push(found.moves.map(({ type }) => type)),
  });
  const walker = agent({
    name: 'walker',
    model: scriptedModel(['on the roof']),
    tools: [echo],
    strategy,
    state: { room: 'hall' },
    reduce: ({ state, results }) => ({ room: results[0]?.text ?? state.room }),
  });
  const { records, output, events, state } = await settled(start(walker, 'go'));
  expect(records.map(({ results }) => results[0]?.text)).toEqual(['stairs', 'roof', undefined]);
  expect(output).toBe('on the roof');
  expect(state).toEqual({ room: 'roof' });
  expect(moves[0]).toEqual([
    'expanded',
    'pruned',
    'selected',
    'backtracked',
    'selected',
    'expanded',
    'selected',
  ]);
  expect(ofType(events, 'agent.decided')[0]?.branch).toMatchObject({
    candidates: [{ score: 0.9 }, { score: 0.5 }, { score: 0.1 }],
    chosen: [1],
  });
  expect(phasesOf(events).filter((phase) => phase === 'ACT')).toHaveLength(2);
});

test('a proposed branch is on record as an own one is', async () => {
  const strategy = branching({
    propose: () => [{ decision: answer('a') }, { decision: answer('b'), score: 2 }],
    select: bestCandidate,
  });
  const one = agent({ name: 'a', strategy });
  const { output, records } = await settled(start(one, 'go'));
  expect(output).toBe('b');
  expect(records[0]?.branch?.chosen).toEqual([1]);
});

function circular(): unknown {
  const branching: { kind: 'branch'; candidates: unknown[] } = { kind: 'branch', candidates: [] };
  branching.candidates.push({ decision: branching });
  return branching;
}
