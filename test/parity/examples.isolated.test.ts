import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { RunOptions, RunResult } from '../../src/index.ts';
import type * as StartRun from '../../src/runtime/run/start-run.ts';
import type { Definition } from '../../src/runtime/define/definition.ts';
import type { StartSetup } from '../../src/runtime/run/create-run.ts';
import { replayRecords } from '../../src/runtime/journal/replay/replay.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { compareRuns } from '../../src/testing/index.ts';
import { PlainStore } from '../support/plain-store.ts';
import { sampled } from '../support/thorough.ts';

/** A run of an example, and what it came to. */
interface Ran {
  readonly definition: Definition;
  readonly runId: string;
  readonly store: PlainStore | undefined;
  readonly context: unknown;
  readonly result: Promise<RunResult<unknown, unknown> | undefined>;
}

const watch = vi.hoisted(() => ({ isStored: false, ran: [] as unknown[] }));

// Whatever an example runs, it runs by this.
await vi.hoisted(async () => {
  const { replaceSource } = await import('../support/replace-source.ts');
  replaceSource<typeof StartRun>('runtime/run/start-run', (real) => ({
    startRun: <Output, State>(
      definition: Definition,
      input: unknown,
      options: RunOptions,
      setup: StartSetup,
    ) => {
      const store = watch.isStored && options.store === undefined ? new PlainStore() : undefined;
      // What follows from it has to be the same both times.
      const named = { runId: `run-${watch.ran.length}`, ...options };
      const handle = real.startRun<Output, State>(
        definition,
        input,
        store === undefined ? named : { ...named, store },
        setup,
      );
      const { runId } = handle;
      // A run that failed has its result, too.
      const result = handle.result.catch((error: unknown) => resultOn(error));
      watch.ran.push({ definition, runId, store, context: options.context, result } satisfies Ran);
      return handle;
    },
  }));
});

const resultOn = (error: unknown): RunResult | undefined =>
  // Put there by the run itself.
  error instanceof Error ? (Reflect.get(error, 'result') as RunResult | undefined) : undefined;

/** Runs an example in this process; it checks itself. */
const runsOf = async (name: string, isStored: boolean): Promise<readonly Ran[]> => {
  watch.isStored = isStored;
  watch.ran = [];
  // By another name each time, so that it is run each time.
  await import(`${join(examples, name)}?${isStored ? 'stored' : 'live'}`);
  return watch.ran as readonly Ran[];
};

const examples = join(import.meta.dirname, '..', '..', 'examples');
/** These are about stores: they bring their own, drop runs that they have looked at, or start processes, or a server whose address is another each time. */
const STORED = /^(?:1[1-3]|35|40|41|4[3578]|5[0-2])-/;
/** Its agent runs on a page: no run is started here. */
const ON_A_PAGE = '30-react-app.ts';
const names = readdirSync(examples).filter(
  (name) => /^\d\d-.*\.ts$/.test(name) && !STORED.test(name) && name !== ON_A_PAGE,
);
/** An actor of an app's own carries its agent: no run of it is started by troupe. */
const EMBEDDED = '04-embed-in-xstate.ts';

const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
afterAll(() => {
  log.mockRestore();
});

describe('an example', () => {
  test.each(sampled(names, 3))(
    '%s comes to the same stored as live, and is replayed byte for byte',
    async (name) => {
      const live = await runsOf(name, false);
      // What starts no run has none to store.
      const stored = live.length === 0 ? live : await runsOf(name, true);
      expect(stored.map(({ definition }) => definition.name)).toEqual(
        live.map(({ definition }) => definition.name),
      );
      expect(live.length > 0 || name === EMBEDDED).toBe(true);
      for (const [index, { definition, runId, store, context, result }] of stored.entries()) {
        const [one, other] = await Promise.all([live[index]?.result, result]);
        if (one === undefined || other === undefined || store === undefined)
          throw new Error(`${name} has no result`);
        expect(compareRuns(one, other)).toEqual([]);
        const { records } = await recordsIn(store, runId);
        const again = await replayRecords(definition, records, { context });
        expect(JSON.stringify(again.events)).toBe(JSON.stringify(other.events));
      }
    },
  );
});
