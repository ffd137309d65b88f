import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RuntimeEvent } from '../../../src/index.ts';
import { definitionOf } from '../../../src/runtime/define/definition.ts';
import { CallDesk } from '../../../src/testing/verify/call-desk.ts';
import { Cast } from '../../../src/testing/verify/cast.ts';
import type { Move } from '../../../src/testing/verify/environment.ts';
import { Environment } from '../../../src/testing/verify/environment.ts';
import { GenuineRun } from '../../../src/testing/verify/genuine-run.ts';
import { Stage } from '../../../src/testing/verify/stage.ts';
import { sized } from '../../support/thorough.ts';
import { teams } from './teams.ts';

/** An event, as far as both have to agree on it. */
const factOf = (event: RuntimeEvent): readonly string[] => {
  const { type, path, step } = event;
  // A proof has a model asked as it answers.
  if (/^(?:model|budget|observer|step)\./.test(type)) return [];
  const about =
    ('phase' in event && type === 'phase.entered' && event.phase) ||
    ('tool' in event && `${String(event.tool)} ${'ok' in event ? String(event.ok) : ''}`) ||
    ('status' in event && String(event.status)) ||
    ('decision' in event && typeof event.decision === 'object' && event.decision.kind) ||
    '';
  return [`${path} ${String(step ?? '')} ${type} ${about}`];
};

/** A walk through the states of a proof, by chance, and what happened on it. */
const walkBy = (name: string, choices: readonly (number | string)[]) => {
  const definition = definitionOf(teams[name]?.() ?? {});
  if (definition === undefined) throw new Error(`${name} is no team`);
  const options = { faults: ['model', 'refusal', 'tool', 'denial'] } as const;
  const theatre = {
    cast: new Cast(options),
    properties: [],
    asserted: 0,
    calls: new CallDesk(undefined),
    noteOf: () => () => undefined,
  };
  const environment = new Environment(options);
  const start = new Stage(theatre, { players: new Map(), properties: [], now: 0, seq: 0 });
  start.begin(definition, 'go');
  let world = start.settle();
  const events = [...start.audience.events];
  const moves: Move[] = [];
  for (const choice of choices) {
    const possible = environment.movesAt(world);
    const move =
      typeof choice === 'number'
        ? possible[choice % Math.max(1, possible.length)]
        : possible.find(({ path, does }) => `${path} ${does}` === choice);
    if (move === undefined) break;
    const stage = new Stage(theatre, world);
    stage.make(move);
    world = stage.settle();
    events.push(...stage.audience.events);
    moves.push(move);
  }
  return { definition, moves, facts: events.flatMap(factOf) };
};

describe('a proof moves as a genuine run does: the same events of the same actors, in the same order', () => {
  // What a run loads on first use is there when the first one has ended.
  beforeAll(async () => {
    const { definition, moves } = walkBy('a race', []);
    const run = new GenuineRun(definition, 'go', {});
    await run.follow(moves);
    await run.end();
  });

  test.each(Object.keys(teams))('%s, wherever its environment leads it', async (name) => {
    let moved = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(60), { minLength: 1, maxLength: 14 }), async (choices) => {
        const { definition, moves, facts } = walkBy(name, choices);
        const run = new GenuineRun(definition, 'go', {});
        expect(await run.follow(moves)).toBeUndefined();
        expect(run.events.flatMap(factOf)).toEqual(facts);
        moved += moves.length;
        await run.end();
      }),
      { numRuns: sized(20, 400), seed: 7 },
    );
    expect(moved).toBeGreaterThan(10);
  });

  test('also where a race is over while a call of the loser is under way', async () => {
    const { definition, moves, facts } = walkBy('a race', [
      'race/ann-1 calls look',
      'race a wait is over',
      'race/bob-2 answers',
    ]);
    expect(moves).toHaveLength(3);
    const run = new GenuineRun(definition, 'go', {});
    expect(await run.follow(moves)).toBeUndefined();
    expect(run.events.flatMap(factOf)).toEqual(facts);
    expect(facts).toContain('race/ann-1 0 tool.finished look false');
    await run.end();
  });
});
