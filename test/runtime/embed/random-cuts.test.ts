import { assign, createActor, setup } from 'xstate';
import type { AnyActorRef, Snapshot } from 'xstate';
import { z } from 'zod';
import { describe, expect, test } from 'vitest';
import { act } from '../../../src/contracts/agents/decision.ts';
import type { LiveEvent } from '../../../src/contracts/events/event.ts';
import type { Outcome } from '../../../src/contracts/runs/outcome.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import type { AgentLogic } from '../../../src/runtime/embed/agent-types.ts';
import type { ScriptedReply } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { allRows } from '../../coordination/all-rows.ts';
import type { Member, PatternRow } from '../../coordination/patterns/pattern-row.ts';
import { PromptBook, scripted } from '../../support/prompt-book.ts';
import { sized } from '../../support/thorough.ts';

/** A thousand, over all patterns, alone and inside of an app. */
const CUTS = Math.ceil(sized(20, 1_000) / allRows.length / 2);
const seed = Number(process.env['TROUPE_SEED'] ?? 20_261);

/** From 0 to below 1, the same for the same seed. */
const chance = (from: number): (() => number) => {
  let state = from >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What processes did to the world, one after the other. */
class World {
  /** How often each was done, by its key. */
  readonly done = new Map<string, number>();
  /** What a process that is gone had told of as finished. */
  readonly finished = new Set<string>();
  readonly repeated: string[] = [];

  act(key: string): void {
    this.done.set(key, (this.done.get(key) ?? 0) + 1);
    if (this.finished.has(key)) this.repeated.push(key);
  }
}

/** A member that does something to the world, thinks, and answers, each a few turns of the loop later. */
const worker = (name: string, reply: ScriptedReply, world: World): Member => {
  const work = tool({
    name: 'work',
    description: 'Works.',
    input: z.object({ part: z.number() }),
    idempotent: true,
    execute: async ({ part }, { key }) => {
      await turnOfTheLoop();
      world.act(key);
      await turnOfTheLoop();
      return `part ${part}`;
    },
  });
  return agent({
    name,
    tools: [work],
    model: scripted(Array.from({ length: 50 }, () => async () => (await turnOfTheLoop(), reply))),
    decide: ({ step }) => (step < 2 ? act({ name: 'work', input: { part: step } }) : undefined),
  });
};

type Logic = AgentLogic<string, unknown>;

const logicOf = ({ make, says }: PatternRow, book: PromptBook, world: World): Logic =>
  book.with(
    () =>
      // Every pattern makes an agent that can be embedded; the table knows of less.
      (
        make({
          ann: worker('ann', says('ann'), world),
          bob: worker('bob', says('bob'), world),
        }) as unknown as {
          readonly logic: Logic;
        }
      ).logic,
  );

/** The actor itself, or an app that invokes it. */
const stagings: readonly {
  readonly name: string;
  readonly begin: (logic: Logic, snapshot: Snapshot<unknown> | undefined) => AnyActorRef;
  readonly outcome: (actor: AnyActorRef) => Outcome<unknown> | undefined;
  readonly clerk: (actor: AnyActorRef) => AnyActorRef | undefined;
}[] = [
  {
    name: 'alone',
    begin: (logic, snapshot) => createActor(logic, { input: 'go', ...(snapshot && { snapshot }) }),
    outcome: (actor) => (actor.getSnapshot() as { output?: Outcome<unknown> }).output,
    clerk: (actor) => actor,
  },
  {
    name: 'inside of an app',
    begin: (logic, snapshot) =>
      createActor(
        setup({
          types: { context: {} as { outcome: unknown } },
          actors: { team: logic },
        }).createMachine({
          context: { outcome: undefined },
          initial: 'asking',
          states: {
            asking: {
              invoke: {
                id: 'team',
                src: 'team',
                input: 'go',
                onDone: { target: 'done', actions: assign({ outcome: ({ event }) => event.output }) },
              },
            },
            done: { type: 'final' },
          },
        }),
        snapshot && { snapshot },
      ),
    outcome: (actor) =>
      (actor.getSnapshot() as { context: { outcome?: Outcome<unknown> } }).context.outcome ?? undefined,
    clerk: (actor) => (actor.getSnapshot() as { children: Record<string, AnyActorRef> }).children['team'],
  },
];

/** How it ended and with what, whenever that was. */
const endOf = ({ status, output }: Outcome<unknown>): string =>
  JSON.stringify({ status, output }, (name, value: unknown) => (name === 'at' ? undefined : value));

describe.each(allRows)('$name', (row) => {
  test.each(stagings)(
    '[FIND-08] cut at random places, $name, it comes to the same end, and nothing that was done is done again',
    async ({ begin, outcome, clerk }) => {
      const through = async (actor: AnyActorRef): Promise<Outcome<unknown>> => {
        actor.start();
        while (outcome(actor) === undefined) await turnOfTheLoop();
        return outcome(actor) as Outcome<unknown>;
      };
      const uncut = new World();
      const expected = await through(begin(logicOf(row, new PromptBook(), uncut), undefined));
      expect(expected).toMatchObject({ status: 'completed' });
      const keys = (world: World): readonly string[] =>
        // A run has an id of its own.
        [...world.done.keys()].map((key) => key.slice(key.indexOf('/'))).toSorted();

      const random = chance(seed + row.name.length);
      for (let cut = 0; cut < CUTS; cut += 1) {
        const world = new World();
        const book = new PromptBook();
        let snapshot: Snapshot<unknown> | undefined;
        // Up to three times in one run.
        for (let times = Math.ceil(random() * 3); times > 0; times -= 1) {
          const actor = begin(logicOf(row, book, world), snapshot);
          const finished: string[] = [];
          actor.start();
          clerk(actor)?.on('tool.finished', (event: LiveEvent) => {
            if (event.type === 'tool.finished') finished.push(`${event.path}#${event.step}`);
          });
          for (let turns = Math.floor(random() * 40); turns > 0; turns -= 1) await turnOfTheLoop();
          snapshot = JSON.parse(JSON.stringify(actor.getPersistedSnapshot())) as Snapshot<unknown>;
          const isOver = outcome(actor) !== undefined;
          actor.stop();
          for (let turns = 0; turns < 4; turns += 1) await turnOfTheLoop();
          for (const key of world.done.keys())
            if (finished.some((place) => key.includes(`/${place}.`))) world.finished.add(key);
          if (isOver) break;
        }
        const found = await through(begin(logicOf(row, book, world), snapshot));
        expect(endOf(found)).toBe(endOf(expected));
        expect(keys(world)).toEqual(keys(uncut));
        expect(world.repeated).toEqual([]);
      }
    },
    120_000,
  );
});
