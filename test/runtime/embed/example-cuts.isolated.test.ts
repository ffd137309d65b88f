import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { assign, createActor, setup } from 'xstate';
import type { AnyActorRef, Snapshot } from 'xstate';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { Outcome } from '../../../src/contracts/runs/outcome.ts';
import type { Person } from '../../../src/contracts/people/person.ts';
import type { RunOptions } from '../../../src/contracts/runs/run-options.ts';
import type { Tool } from '../../../src/contracts/tools/tool.ts';
import type { Definition } from '../../../src/runtime/define/definition.ts';
import { agentLogicWith } from '../../../src/runtime/embed/agent-logic.ts';
import type { StartSetup } from '../../../src/runtime/run/create-run.ts';
import type * as StartRun from '../../../src/runtime/run/start-run.ts';
import type * as DefineTool from '../../../src/tools/define/define-tool.ts';
import type * as Scripted from '../../../src/testing/scripted-model.ts';
import { sampled, sized } from '../../support/thorough.ts';

/** A run that an example has begun. */
interface Begun {
  readonly definition: Definition;
  readonly input: unknown;
  readonly options: RunOptions;
  readonly runId: string;
  readonly result: Promise<unknown>;
}

/** An effect of a tool: by whom, for which call, and whether it may be repeated. */
interface Effect {
  readonly key: string;
  readonly mayRepeat: boolean;
}

const seen = vi.hoisted(() => ({
  begun: [] as unknown[],
  effects: [] as unknown[],
  /** The run of the example that is had once more. */
  runId: undefined as string | undefined,
}));

await vi.hoisted(async () => {
  const { replaceSource } = await import('../../support/replace-source.ts');

  replaceSource<typeof StartRun>('runtime/run/start-run', (real) => ({
    startRun: <Output, State>(
      definition: Definition,
      input: unknown,
      options: RunOptions,
      plan: StartSetup,
    ) => {
      const handle = real.startRun<Output, State>(definition, input, options, plan);
      // A part of the run that a face stands for is no run of the example.
      if (plan.journal === undefined)
        seen.begun.push({
          definition,
          input,
          options,
          runId: handle.runId,
          result: handle.result.catch(() => undefined),
        } satisfies Begun);
      return handle;
    },
  }));

  replaceSource<typeof DefineTool>('tools/define/define-tool', (real) => {
    const define: (options: Parameters<typeof real.tool>[0]) => Tool = real.tool;
    const tool = (options: Parameters<typeof real.tool>[0]): Tool => {
      const made = define({
        ...options,
        execute: (input, context) => {
          seen.effects.push({ key: placeOf(context.key), mayRepeat: made.idempotent } satisfies Effect);
          const given: unknown = options.execute(input, context);
          // Once the example itself is through, a call takes a while, in which it can be cut.
          return seen.runId === undefined
            ? given
            : Promise.all([given, turnOfTheLoop()]).then(([value]) => value);
        },
      });
      return made;
    };
    return { tool: tool as typeof real.tool };
  });

  // A call is answered as it was the first time, by whichever process asks: a script itself knows nothing of those.
  replaceSource<typeof Scripted>('testing/scripted-model', (real) => ({
    scriptedModel: (script, id) => {
      const first = real.scriptedModel(script, id);
      const given = new Map<string, number>();
      return {
        ...first,
        answer: (request, call) => {
          const key = (seen.runId ?? call.key.slice(0, call.key.indexOf('/'))) + placeOf(call.key);
          const index = given.get(key);
          if (index === undefined) {
            given.set(key, first.requests.length);
            return first.answer(request, call);
          }
          const reply = script[index];
          const again = real.scriptedModel(reply === undefined ? [] : [reply], id);
          return turnOfTheLoop().then(() => again.answer(request, call));
        },
      };
    },
  }));
});

function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A key without the run, which has an id of its own. */
function placeOf(key: string): string {
  return key.slice(key.indexOf('/'));
}

/** With those over all patterns (`random-cuts`) a thousand. */
const CUTS = sized(1, 12);
const seed = Number(process.env['TROUPE_SEED'] ?? 20_263);

/** From 0 to below 1, the same for the same seed. */
const chance = (from: number): (() => number) => {
  let state = from >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

/** Says yes to whatever is ambiguous, and counts it: those may be done once more. */
class Clerk {
  repeats = 0;

  person(own: Person | undefined): Person {
    return {
      answer: (question, signal) => own?.answer?.(question, signal) ?? 'Yes.',
      approve: (request, signal) => {
        if (request.kind !== 'ambiguous') return own?.approve?.(request, signal) ?? true;
        this.repeats += 1;
        return true;
      },
    };
  }
}

/** The actor of a run, alone or invoked by an app. */
const stagings: readonly {
  readonly name: string;
  readonly begin: (begun: Begun, clerk: Clerk, snapshot: Snapshot<unknown> | undefined) => AnyActorRef;
  readonly outcome: (actor: AnyActorRef) => Outcome<unknown> | undefined;
}[] = [
  {
    name: 'alone',
    begin: (begun, clerk, snapshot) =>
      createActor(logicOf(begun, clerk), { input: begun.input, ...(snapshot && { snapshot }) }),
    outcome: (actor) => (actor.getSnapshot() as { output?: Outcome<unknown> }).output,
  },
  {
    name: 'inside of an app',
    begin: (begun, clerk, snapshot) =>
      createActor(
        setup({
          types: { context: {} as { outcome: unknown } },
          actors: { work: logicOf(begun, clerk) },
        }).createMachine({
          context: { outcome: undefined },
          initial: 'asking',
          states: {
            asking: {
              invoke: {
                src: 'work',
                input: begun.input,
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
  },
];

const logicOf = ({ definition, options }: Begun, clerk: Clerk) => {
  // An example may begin a run that is held, watch it, or say what it is called.
  const { paused: _, inspect: _inspect, runId: _runId, signal: _signal, store: _store, ...rest } = options;
  return agentLogicWith<unknown, unknown, never>(definition, {
    ...rest,
    person: clerk.person(options.person),
  });
};

/** How it ended and with what, whenever that was; the status alone, where the rest does not follow from the run. */
const endOf = ({ status, output }: Outcome<unknown>, isOfItself: boolean): string =>
  !isOfItself
    ? status
    : JSON.stringify({ status, output }, (name, value: unknown) => (name === 'at' ? undefined : value));

/** Goes on until the run has its outcome. */
const finish = async (
  { outcome }: (typeof stagings)[number],
  actor: AnyActorRef,
): Promise<Outcome<unknown>> => {
  actor.start();
  for (;;) {
    const found = outcome(actor);
    if (found !== undefined) return found;
    await turnOfTheLoop();
  }
};

const examples = join(import.meta.dirname, '..', '..', '..', 'examples');
/**
 * These start processes of their own, have an app, a server or a schedule that begins their runs, close the server that their runs ask, have
 * several people approve by a handle, move the clock themselves, or have a proof or injected faults, whose runs are not ended by what they are told: none of them is begun here.
 */
const ELSEWHERE = ['04-', '11-', '12-', '30-', '34-', '38-', '40-', '44-', '45-', '47-', '50-', '51-', '52-'];
const names = readdirSync(examples).filter(
  (name) => /^\d\d-.*\.ts$/.test(name) && !ELSEWHERE.some((place) => name.startsWith(place)),
);

/**
 * Their answers do not follow from the run alone: a memory has what other runs left there, a round robin goes on from run to run, and a
 * question that a tool repeats may find that who answered it has finished.
 */
const NOT_OF_ITSELF = new Set(['09-memory.ts clerk', '15-messages.ts desk', '18-router.ts night']);

const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
afterAll(() => {
  log.mockRestore();
});

describe('an example', () => {
  test.each(sampled(names, 3))(
    '[FIND-08] %s: each of its runs, cut at random places, alone and inside of an app, comes to the same end, and nothing is done again that may not be',
    async (name) => {
      seen.begun = [];
      seen.runId = undefined;
      await import(join(examples, name));
      const begun = [...(seen.begun as readonly Begun[])];
      // Where an example begins no run here, nothing would be cut.
      expect(begun).not.toEqual([]);
      await Promise.all(begun.map(({ result }) => result));
      for (const [index, one] of begun.entries())
        // Alone or inside of an app in turn, where not both are tried.
        for (const staging of sampled(stagings, stagings.length, index)) {
          seen.runId = one.runId;
          const isOfItself = !NOT_OF_ITSELF.has(`${name} ${one.definition.name}`);
          const end = (outcome: Outcome<unknown>): string => endOf(outcome, isOfItself);
          const random = chance(seed + index);
          const expected = await finish(staging, staging.begin(one, new Clerk(), undefined));
          for (let cut = 0; cut < CUTS; cut += 1) {
            const clerk = new Clerk();
            seen.effects = [];
            let snapshot: Snapshot<unknown> | undefined;
            for (let times = Math.ceil(random() * 3); times > 0; times -= 1) {
              const actor = staging.begin(one, clerk, snapshot);
              actor.start();
              for (let turns = Math.floor(random() * 12); turns > 0; turns -= 1) await turnOfTheLoop();
              snapshot = JSON.parse(JSON.stringify(actor.getPersistedSnapshot())) as Snapshot<unknown>;
              const isOver = staging.outcome(actor) !== undefined;
              actor.stop();
              for (let turns = 0; turns < 4; turns += 1) await turnOfTheLoop();
              if (isOver) break;
            }
            const found = await finish(staging, staging.begin(one, clerk, snapshot));
            expect(`${one.definition.name} ${staging.name}: ${end(found)}`).toBe(
              `${one.definition.name} ${staging.name}: ${end(expected)}`,
            );
            expect(repeatedIn(seen.effects as readonly Effect[])).toBeLessThanOrEqual(clerk.repeats);
          }
        }
    },
    120_000,
  );
});

/** How often an effect was done once more that may not be without a yes. */
const repeatedIn = (effects: readonly Effect[]): number => {
  const guarded = effects.filter(({ mayRepeat }) => !mayRepeat).map(({ key }) => key);
  return guarded.length - new Set(guarded).size;
};
