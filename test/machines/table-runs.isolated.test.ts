import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';
import type { Output } from '../../src/machines/outputs.ts';
import { TableSnapshot } from '../../src/machines/table/table-snapshot.ts';
import type * as moverModule from '../../src/runtime/turn/mover.ts';
import type { MachinePosition, Mover } from '../../src/runtime/turn/mover.ts';
import { inertScope } from '../../src/runtime/turn/quiet-scope.ts';
import { readJournalFile } from '../../src/persistence/index.ts';
import { replay } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { allRows } from '../coordination/all-rows.ts';
import { parrot } from '../coordination/patterns/pattern-row.ts';
import { allScenarios } from '../parity/all-scenarios.ts';
import { PlainStore } from '../support/plain-store.ts';
import { shop } from '../support/recorded-clerk.ts';
import { letTimePass, settled, start } from '../support/runs.ts';
import { numbersFrom } from '../support/stored-runs.ts';
import { differenceBetween } from './side-by-side.ts';
import { isThorough, sampled, sized } from '../support/thorough.ts';
import { moveUnder, put, rulesInForce } from '../../src/machines/in-force.ts';

const seed = Number(process.env['TROUPE_SEED'] ?? 20_261);
const random = numbersFrom(seed);
/** From each turn of a run, so many walks are begun, of so many events that its machine has seen. */
const WALKS = sized(1, 3);
const LENGTH = sized(2, 4);

/** What was compared, by machine. */
const moves = new Map<string, { turns: number; walked: number }>();
/** Differences throw into runs, which may take them for failures of the machine: so they are kept. */
const differences: unknown[] = [];

/** Moves by XState and by the table, and compares what comes of it. */
class SideBySideMover implements Mover {
  readonly movedBy = { by: 'table' } as const;
  readonly #machine: AnyStateMachine;
  readonly #table: Mover;
  readonly #byXState = new WeakMap<MachinePosition, AnyMachineSnapshot>();
  readonly #events: EventObject[] = [...STRAY];

  constructor(machine: AnyStateMachine, table: Mover) {
    this.#machine = machine;
    this.#table = table;
  }

  initial(input: unknown): MachinePosition {
    const byXState = (): AnyMachineSnapshot => {
      const snapshot: AnyMachineSnapshot = this.#machine.getInitialSnapshot(inertScope(), input);
      if (snapshot.status === 'error') throw snapshot.error;
      return snapshot;
    };
    return this.#both('turns', 'xstate.init', () => this.#table.initial(input), byXState);
  }

  next(position: MachinePosition, event: EventObject): MachinePosition {
    if (this.#events.length < 200) this.#events.push(event);
    for (let walk = 0; walk < WALKS; walk += 1) this.#walk(position);
    return this.#step('turns', position, event);
  }

  #step(kind: 'turns' | 'walked', position: MachinePosition, event: EventObject): MachinePosition {
    const before = this.#byXState.get(position);
    if (before === undefined) throw new Error('nobody made this position');
    return this.#both(
      kind,
      event.type,
      () => this.#table.next(position, event),
      () => this.#machine.transition(before, event, inertScope()),
    );
  }

  #walk(from: MachinePosition): void {
    let position = from;
    const ignored: Output[] = [];
    try {
      for (let step = 0; step < LENGTH && position.status === 'active'; step += 1) {
        const event = this.#events[random(this.#events.length)];
        if (event === undefined) return;
        position = moveUnder(rulesInForce(), ignored, () => this.#step('walked', position, event));
      }
    } catch {
      // Both threw the same, or it is among the differences.
    }
  }

  #both(
    kind: 'turns' | 'walked',
    type: string,
    byTable: () => MachinePosition,
    byXState: () => AnyMachineSnapshot,
  ): MachinePosition {
    const { id } = this.#machine;
    const count = moves.get(id) ?? { turns: 0, walked: 0 };
    count[kind] += 1;
    moves.set(id, count);
    const other = attempt(byXState);
    const one = attempt(byTable);
    if (one.thrown !== undefined || other.thrown !== undefined) {
      if (String(one.thrown) !== String(other.thrown))
        differences.push({ id, type, byTable: String(one.thrown), byXState: String(other.thrown) });
      throw one.thrown instanceof Error ? one.thrown : new Error(`the machine threw ${String(one.thrown)}`);
    }
    const { made } = one;
    if (!(made instanceof TableSnapshot) || other.made === undefined) throw new Error('no snapshot was made');
    const difference = differenceBetween(other.made, made, other.outputs, one.outputs);
    if (difference !== undefined) differences.push({ id, type, ...difference });
    const genuine = JSON.stringify(made.genuine);
    if (kind === 'turns' && genuine !== JSON.stringify(other.made))
      differences.push({ id, type, genuine, byXState: JSON.stringify(other.made) });
    this.#byXState.set(made, other.made);
    one.outputs.forEach(put);
    return made;
  }
}

const STRAY = [
  { type: 'unheard.of', at: 9_000 },
  { type: 'answered.unheard', at: 9_000, index: 7 },
  { type: 'failed.member', at: 9_000, index: 0, error: { code: 'internal', message: 'x', retryable: 'no' } },
  { type: 'expired', at: 9_000, reason: { kind: 'maxTime', limitMs: 1 } },
  { type: 'abort', at: 9_000, reason: 'enough' },
  { type: 'message', at: 9_000, message: { from: 'bob', text: 'hi' } },
] as const;

const attempt = <T>(work: () => T) => {
  const outputs: Output[] = [];
  try {
    return { made: moveUnder(rulesInForce(), outputs, work), outputs, thrown: undefined };
  } catch (thrown) {
    return { made: undefined, outputs, thrown };
  }
};

await vi.hoisted(async () => {
  const { replaceSource } = await import('../support/replace-source.ts');
  replaceSource<typeof moverModule>('runtime/turn/mover', (real) => {
    const movers = new WeakMap<AnyStateMachine, Mover>();
    return {
      moverOf: (machine, inspected) => {
        const mover = real.moverOf(machine, inspected);
        if (mover.movedBy.by === 'xstate') return mover;
        const known = movers.get(machine) ?? new SideBySideMover(machine, mover);
        movers.set(machine, known);
        return known;
      },
    };
  });
});

test.each(sampled(allScenarios, 3, 1))('the table moves as XState does: $name', async (scenario) => {
  const clock = virtualClock(1_000);
  const { agent, options, play } = scenario.make(clock);
  const handle = start(agent, 'go', { runId: 'table', clock, ...options });
  const result = settled(handle);
  await play?.(handle, clock);
  await letTimePass(clock, result, 500);
  expect(differences.slice(0, 3)).toEqual([]);
});

test.each(allRows)('the table moves as XState does: the pattern $name', async ({ make, says }) => {
  const clock = virtualClock(1_000);
  const team = make({ ann: parrot('ann', says('ann')), bob: parrot('bob', says('bob')) });
  await letTimePass(clock, settled(start(team, 'go', { runId: 'table', clock })));
  expect(differences.slice(0, 3)).toEqual([]);
});

test('the table moves as XState does: a journal of 0.1 that is replayed', async () => {
  const file = join(import.meta.dirname, '../fixtures/journals/0.1.0.journal');
  const { entry, rows } = readJournalFile(file);
  const store = new PlainStore();
  store.rows.set(entry.runId, [...rows]);
  store.entries.set(entry.runId, entry);
  const before = turnsSoFar();
  const { result } = await replay(shop(scriptedModel([])), entry.runId, { store });
  expect(result?.status).toBe('completed');
  expect(turnsSoFar() - before).toBeGreaterThan(10);
  expect(differences.slice(0, 3)).toEqual([]);
});

describe('the tests of workflows', async () => {
  await import('../workflows/workflows.test.ts');
});

if (isThorough) {
  describe('the tests of patterns', async () => {
    await import('../coordination/pattern-contract.test.ts');
  });
  describe('the tests of all scenarios', async () => {
    await import('../parity/stored.test.ts');
  });
}

/** Turns of all machines that were compared so far. */
const turnsSoFar = (): number => [...moves.values()].reduce((sum, { turns }) => sum + turns, 0);

test('machines of every kind were moved, and none otherwise than by XState', () => {
  expect(differences.slice(0, 3)).toEqual([]);
  const ids = new Set(allRows.map(({ machine }) => machine().id));
  for (const id of ['agent', 'modelCall', 'toolCall', 'flow', ...ids])
    expect(moves.get(id)?.turns ?? 0, id).toBeGreaterThan(1);
  expect(turnsSoFar()).toBeGreaterThan(1_000);
  expect([...moves.values()].reduce((sum, { walked }) => sum + walked, 0)).toBeGreaterThan(1_000);
});

afterAll(() => {
  if (isThorough) process.stdout.write(`${JSON.stringify(Object.fromEntries(moves))}\n`);
});
