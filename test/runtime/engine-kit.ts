import { vi } from 'vitest';
import { z } from 'zod';
import type { Engine } from '../../src/contracts/runs/engine.ts';
import type { LiveEvent } from '../../src/contracts/events/event.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import type { ToolContext } from '../../src/contracts/tools/tool.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { createDisposableEngine } from '../../src/runtime/engines/disposable-engine.ts';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import { createRequestEngine } from '../../src/runtime/engines/request-engine.ts';
import { tool } from '../../src/tools/define/define-tool.ts';

export { quiet } from '../support/runs.ts';

// An engine that is broken mostly does nothing, for ever: a test that waits for it is to be red soon.
vi.setConfig({ testTimeout: 4_000, hookTimeout: 4_000 });

/** The three flavours, each new: what holds for an engine holds for every one of them. */
export const flavours: readonly { readonly kind: Engine['kind']; make: () => Engine }[] = [
  { kind: 'global', make: () => createGlobalEngine() },
  { kind: 'request', make: () => createRequestEngine(createGlobalEngine(), { tenant: 'acme' }) },
  { kind: 'disposable', make: () => createDisposableEngine() },
];

/** An agent that answers at once. */
export const parrot = (name = 'parrot', said = 'hello') =>
  agent({ name, decide: () => ({ kind: 'answer', answer: said }) });

/** A tool that waits until somebody opens its gate: who came, in order, and how many are inside. */
export const gated = () => {
  const arrived: string[] = [];
  const signals: AbortSignal[] = [];
  const waiting = new Map<string, () => void>();
  const watchers: { readonly count: number; readonly resolve: () => void }[] = [];
  const wait = tool({
    name: 'wait_for',
    description: 'Waits at the gate.',
    input: z.object({ name: z.string() }),
    timeoutMs: Infinity,
    execute: ({ name }, { signal }: ToolContext) =>
      new Promise<string>((resolve) => {
        arrived.push(name);
        signals.push(signal);
        waiting.set(name, () => {
          resolve(`${name} passed`);
        });
        for (const { count, resolve: tell } of watchers) if (arrived.length >= count) tell();
      }),
  });
  return {
    tool: wait,
    arrived,
    signals,
    open: (name: string) => waiting.get(name)?.(),
    /** Resolves once so many have come. */
    came: (count: number) =>
      new Promise<void>((resolve) => {
        if (arrived.length >= count) resolve();
        else watchers.push({ count, resolve });
      }),
  };
};

/** An agent that goes through a gate once, then answers; each run of it is told apart by its input. */
export const gateAgent = (gate: ReturnType<typeof gated>, name = 'walker') =>
  agent({
    name,
    tools: [gate.tool],
    decide: ({ step, input }) =>
      step === 0
        ? { kind: 'act', calls: [{ name: 'wait_for', input: { name: input } }] }
        : { kind: 'answer', answer: `${z.string().parse(input)} is done` },
  });

/** Everything that a handle tells, as it tells it. */
export const collect = (source: Pick<RunHandle, 'events$'> | Pick<Engine, 'events$'>) => {
  const events: LiveEvent[] = [];
  const seen = { events, isComplete: false };
  source.events$.subscribe({
    next: (event) => {
      events.push(event);
    },
    complete: () => {
      seen.isComplete = true;
    },
  });
  return seen;
};

/** What a promise rejects with. */
export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
