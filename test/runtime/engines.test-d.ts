import type { Observable } from 'rxjs';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { Engine } from '../../src/contracts/runs/engine.ts';
import type { LiveEvent } from '../../src/contracts/events/event.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { createDisposableEngine } from '../../src/runtime/engines/disposable-engine.ts';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import { createRequestEngine } from '../../src/runtime/engines/request-engine.ts';

const grader = agent({
  name: 'grader',
  input: z.object({ essay: z.string() }),
  output: z.object({ mark: z.number() }),
  state: { read: 0 },
});

describe('[ENG-05] what an engine takes and gives', () => {
  it('is what the agent takes and gives: two types, both inferred', () => {
    const engine = createGlobalEngine();
    expectTypeOf(engine.execute(grader, { essay: '…' })).resolves.toEqualTypeOf<
      RunResult<{ mark: number }, { read: number }>
    >();
    expectTypeOf(engine.stream(grader, { essay: '…' })).toEqualTypeOf<
      RunHandle<{ mark: number }, { read: number }>
    >();
    // @ts-expect-error the input is an essay, not a string
    void engine.execute(grader, 'an essay');
    const plain = agent({ name: 'plain' });
    expectTypeOf(engine.execute(plain, 'hi'))
      .resolves.toHaveProperty('output')
      .toEqualTypeOf<string | undefined>();
  });

  it('[ENG-21] is one contract, made by three factories', () => {
    expectTypeOf(createGlobalEngine).returns.toEqualTypeOf<Engine>();
    expectTypeOf(createRequestEngine).returns.toEqualTypeOf<Engine>();
    expectTypeOf(createDisposableEngine).returns.toEqualTypeOf<Engine>();
    expectTypeOf<Engine['events$']>().toEqualTypeOf<Observable<LiveEvent>>();
    expectTypeOf<Engine>().toExtend<AsyncDisposable>();
  });

  it('says of a context only that there may be one', () => {
    agent({
      name: 'peek',
      decide: ({ context }) => {
        expectTypeOf(context).toEqualTypeOf<unknown>();
        return undefined;
      },
    });
  });
});
