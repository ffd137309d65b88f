// What stored runs load when they are begun: a dozen turns of the loop are too few for it on a busy machine.
import '../../src/memory/threads/threads.ts';
import '../../src/persistence/field-vault.ts';
import '../../src/persistence/journal-codec.ts';
import '../../src/persistence/sealed-data.ts';
import '../../src/runtime/journal/letters/letters.ts';
import '../../src/runtime/journal/letters/sealed-letters.ts';
import '../../src/runtime/journal/replay/parse-records.ts';
import { z } from 'zod';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import type { RuntimeEvent } from '../../src/contracts/events/event.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import { definitionOf } from '../../src/runtime/define/definition.ts';
import { checkRunOptions } from '../../src/runtime/run/run-schema.ts';
import { startRun } from '../../src/runtime/run/start-run.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';

/** Starts a run as `agent.stream` does, with chance taken out. */
export const start = <Input, Output, State>(
  agent: Agent<Input, Output, State>,
  input: Input,
  options: RunOptions = {},
): RunHandle<Output, State> => {
  const definition = definitionOf(agent);
  if (definition === undefined) throw new Error(`${agent.name} is no agent`);
  checkRunOptions(agent.name, options);
  return startRun<Output, State>(definition, input, options, {
    isAttended: true,
    random: () => 0.5,
  });
};

/** What a run came to, also where it failed: its error carries the result. */
export const settled = async <Output, State>(
  handle: Pick<RunHandle<Output, State>, 'result'>,
): Promise<RunResult<Output, State>> => {
  try {
    return await handle.result;
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'result' in error)
      return error.result as RunResult<Output, State>;
    throw error;
  }
};

/** Moves a virtual clock on until `until` is settled, in steps; gives up after a virtual day. */
export const letTimePass = async <T>(clock: VirtualClock, until: Promise<T>, stepMs = 1_000): Promise<T> => {
  let isSettled = false;
  const stop = (): void => {
    isSettled = true;
  };
  until.then(stop, stop);
  for (let passed = 0; !isSettled && passed <= 86_400_000; passed += stepMs) await clock.advance(stepMs);
  if (!isSettled) throw new Error('a virtual day has passed, and nothing has happened');
  return until;
};

/** A dozen turns of the event loop, with all that microtasks have to do in them; a long run is not through by then. */
export const quiet = async (): Promise<void> => {
  for (let turn = 0; turn < 12; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** The types of events, in order. */
export const typesOf = (events: readonly { readonly type: string }[]): readonly string[] =>
  events.map(({ type }) => type);

/** The events of one type. */
export const ofType = <Type extends RuntimeEvent['type']>(
  events: readonly RuntimeEvent[],
  type: Type,
): readonly Extract<RuntimeEvent, { type: Type }>[] =>
  events.filter((event): event is Extract<RuntimeEvent, { type: Type }> => event.type === type);

/** The phases entered, in order; of one path, if it is given. */
export const phasesOf = (events: readonly RuntimeEvent[], path?: string): readonly string[] =>
  ofType(events, 'phase.entered')
    .filter((event) => path === undefined || event.path === path)
    .map(({ phase }) => phase);

/** A promise and its ends. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** A promise that a test settles. */
export const deferred = <T>(): Deferred<T> => {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
};

/** A promise that nobody keeps. */
export const never = <T = never>(): Promise<T> => new Promise(() => undefined);

/** Gives back what it is given. */
export const echo = tool({
  name: 'echo',
  description: 'Gives back what it is given.',
  input: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});

/** Does not come back, and does not listen to its signal. */
export const hang = tool({
  name: 'hang',
  description: 'Does not come back.',
  input: z.object({}),
  timeoutMs: Infinity,
  execute: () => never<string>(),
});
