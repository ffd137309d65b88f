import { z } from 'zod';
import type { Clock } from '../../../src/base/clock.ts';
import type { Model } from '../../../src/contracts/models/model.ts';
import { modelAnswer } from '../../../src/contracts/models/model.ts';
import { agent, tool } from '../../../src/index.ts';
import { property } from '../../../src/policy/index.ts';
import type { LawMember } from '../../../src/testing/pattern-laws.ts';
import type { SimulatedAgent, SimulateOptions } from '../../../src/testing/simulate/simulate-options.ts';
import type { PatternRow } from '../../coordination/patterns/pattern-row.ts';

/** Everything that the members of one run share. */
interface World {
  readonly clock: Clock;
  /** By the key of a call, how often it was done. */
  readonly done: Map<string, number>;
  /** True once ann has worked. */
  isOpen: boolean;
}

/** A mistake that is hidden in the members of a team: it shows in rare runs only. */
export interface Planted {
  readonly name: string;
  /** What a simulation calls it. */
  readonly rule: string;
  /** Teams whose members work one after the other never show it. */
  readonly isOfOrder?: boolean;
  readonly execute?: (world: World, name: string, call: Call) => unknown;
  /** What a member does after its tool has failed, or was too early. */
  readonly whenFailed?: 'force' | 'silence';
  readonly isRepeated?: boolean;
}

interface Call {
  readonly key: string;
  readonly signal: AbortSignal;
}

/** A second of five that a tool takes. */
const WORK_MS = 5_000;

export const unbroken: Planted = { name: 'nothing', rule: '' };

export const planted: readonly Planted[] = [
  {
    name: 'a member that loses a reply after its tool has failed',
    rule: 'lost reply',
    whenFailed: 'silence',
  },
  {
    name: 'a member that forces what has failed',
    rule: 'never-forced',
    whenFailed: 'force',
  },
  {
    name: 'a tool that says that it may be repeated, and may not',
    rule: 'check',
    isRepeated: true,
  },
  {
    name: 'a tool that does not hear an abort',
    rule: 'ends when aborted',
    execute: ({ clock }, _, { signal }) =>
      new Promise((resolve) => {
        const timer = clock.setTimeout(() => {
          resolve('done');
        }, WORK_MS);
        signal.addEventListener('abort', () => {
          clock.clearTimeout(timer);
        });
      }),
  },
  {
    name: 'a tool that leaves a timer when it is aborted',
    rule: 'no timer left',
    execute: ({ clock }, _, { signal }) =>
      new Promise((resolve, reject) => {
        const watchdog = clock.setTimeout(() => undefined, 86_400_000);
        const timer = clock.setTimeout(() => {
          clock.clearTimeout(watchdog);
          resolve('done');
        }, WORK_MS);
        signal.addEventListener('abort', () => {
          clock.clearTimeout(timer);
          reject(new Error('aborted'));
        });
      }),
  },
  {
    name: 'a member that forces what another one has not done yet',
    rule: 'never-forced',
    isOfOrder: true,
    whenFailed: 'force',
    execute: (world, name) => {
      if (name === 'ann') world.isOpen = true;
      else if (!world.isOpen) return 'too early';
      return 'done';
    },
  },
];

/** Works once, then says what the pattern wants to hear. */
const workerModel = (says: (reply: string) => string | undefined, bug: Planted): Model => ({
  provider: 'example',
  id: 'worker',
  isLanguageModel: false,
  answer: ({ messages }) => {
    const last = messages.at(messages.length - 1);
    if (last?.role !== 'tool') return modelAnswer({ calls: [{ id: 'w', name: 'work', input: {} }] });
    const isBad =
      last.text.includes('fail') || last.text.includes('broke') || last.text.includes('too early');
    if (isBad && bug.whenFailed === 'force' && !last.text.includes('forced'))
      return modelAnswer({ calls: [{ id: 'f', name: 'force', input: {} }] });
    return modelAnswer({ text: says(last.text) ?? '' });
  },
});

const memberOf = (name: string, row: PatternRow, bug: Planted, world: World): LawMember => {
  const said = row.says(name);
  const work = tool({
    name: 'work',
    description: 'Works.',
    safety: 'write',
    idempotent: bug.isRepeated ?? false,
    exclusive: false,
    input: z.object({}),
    execute: (_, call) => {
      world.done.set(call.key, (world.done.get(call.key) ?? 0) + 1);
      return bug.execute === undefined ? 'done' : bug.execute(world, name, call);
    },
  });
  const force = tool({
    name: 'force',
    description: 'Forces.',
    safety: 'write',
    input: z.object({}),
    execute: () => 'forced',
  });
  return agent({
    name,
    tools: [work, force],
    limits: { loops: false },
    model: workerModel(() => (typeof said === 'string' ? said : name), bug),
    ...(bug.whenFailed === 'silence'
      ? {
          decide: ({ results }) =>
            results.some(({ ok }) => !ok) ? new Promise<undefined>(() => undefined) : undefined,
        }
      : {}),
  });
};

/** A team by that pattern whose members have the mistake, and how it is simulated. */
export const simulationOf = (
  row: PatternRow,
  bug: Planted,
): {
  readonly make: Extract<SimulatedAgent, (...given: never) => unknown>;
  readonly options: SimulateOptions;
} => {
  let world: World | undefined;
  return {
    make: ({ clock }) => {
      world = { clock, done: new Map(), isOpen: false };
      return row.make({ ann: memberOf('ann', row, bug, world), bob: memberOf('bob', row, bug, world) });
    },
    options: {
      inputs: ['go'],
      properties: [property.never('force').named('never-forced')],
      check: () => {
        const often = [...(world?.done ?? [])].filter(([, times]) => times > 1);
        return often.length === 0 ? undefined : `done ${often.length} times too often`;
      },
    },
  };
};
