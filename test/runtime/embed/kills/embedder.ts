/** A process that embeds an agent, alone or in an app's machine, writes down its snapshot in the midst of it, and is killed at once. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { assign, createActor, setup, toPromise } from 'xstate';
import type { AnyActorRef, Snapshot } from 'xstate';
import { z } from 'zod';
import type { Outcome } from '../../../../src/contracts/runs/outcome.ts';
import { sqliteStore } from '../../../../src/persistence/sqlite/sqlite-store.ts';
import { agent } from '../../../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../../../src/testing/scripted-model.ts';
import { tool } from '../../../../src/tools/define/define-tool.ts';

/** What an embedder is told. */
export interface EmbedderOrder {
  /** Where the snapshot is written. */
  readonly file: string;
  /** Where its tool writes down what it did: a line for each call that was begun. */
  readonly ledger: string;
  /** Of the store; none: the snapshot holds the run. */
  readonly store: string | undefined;
  readonly isInApp: boolean;
  readonly isIdempotent: boolean;
  /** After which call of this process it dies; none: it lives. */
  readonly diesAt: number | undefined;
  /** So many turns of the loop later. */
  readonly turns: number;
}

// Only its parent gives it orders.
const order = JSON.parse(process.argv[2] ?? '') as EmbedderOrder;
const { file, ledger, isInApp, isIdempotent, diesAt, turns } = order;
const STEPS = 4;

const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let made = 0;
const book = tool({
  name: 'book',
  description: 'Books a seat.',
  input: z.object({ seat: z.string() }),
  safety: 'write',
  idempotent: isIdempotent,
  execute: async ({ seat }, { key }) => {
    appendFileSync(ledger, `${key}\n`);
    made += 1;
    if (made === diesAt) void die();
    for (let turn = 0; turn < 3; turn += 1) await turnOfTheLoop();
    return `${seat} is booked`;
  },
});

const die = async (): Promise<void> => {
  for (let turn = 0; turn < turns; turn += 1) await turnOfTheLoop();
  writeFileSync(file, JSON.stringify(actor.getPersistedSnapshot()));
  process.kill(process.pid, 'SIGKILL');
};

/** Answers by what it is shown, so that another process answers the same. */
const model = {
  ...scriptedModel([]),
  answer: async (...[request, call]: Parameters<ReturnType<typeof scriptedModel>['answer']>) => {
    const turn = request.messages.toArray().filter(({ role }) => role === 'assistant').length;
    const seats = ['a', 'b'].map((place) => ({ name: 'book', input: { seat: `${turn}.${place}` } }));
    return scriptedModel([turn < STEPS ? calls(...seats) : `done in ${turn}`]).answer(request, call);
  },
};

const store = order.store === undefined ? undefined : sqliteStore(order.store);
const clerk = agent({ name: 'clerk', tools: [book], model });
const logic = clerk.logicWith({ store, person: { approve: () => false } });
const app = setup({
  types: { context: {} as { outcome: Outcome<string> | null } },
  actors: { clerk: logic },
}).createMachine({
  context: { outcome: null },
  initial: 'asking',
  output: ({ context }) => context.outcome,
  states: {
    asking: {
      invoke: {
        id: 'clerk',
        src: 'clerk',
        input: 'go',
        onDone: { target: 'done', actions: assign({ outcome: ({ event }) => event.output }) },
      },
    },
    done: { type: 'final' },
  },
});

const snapshot = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Snapshot<unknown>) : undefined;
const actor: AnyActorRef = isInApp
  ? createActor(app, { snapshot: snapshot as never })
  : createActor(logic, { input: 'go', snapshot: snapshot as never });
actor.start();
const outcome = (await toPromise(actor)) as Outcome<string>;
process.stdout.write(`${outcome.status}: ${String(outcome.output ?? outcome.error?.message)}\n`);
await store?.close();
