import type { Observable } from 'rxjs';
import { expectTypeOf, test } from 'vitest';
import type { EventOf, Hook, LiveEvent } from '../../src/contracts/events/event.ts';
import { hook } from '../../src/events/hooks/define-hook.ts';
import { ofType } from '../../src/events/stream/select.ts';

declare const events$: Observable<LiveEvent>;

test('ofType gives the events of its types', () => {
  expectTypeOf(events$.pipe(ofType('tool.started'))).toEqualTypeOf<Observable<EventOf<'tool.started'>>>();
  expectTypeOf(events$.pipe(ofType('run.ended', 'model.delta'))).toEqualTypeOf<
    Observable<EventOf<'run.ended' | 'model.delta'>>
  >();
  // @ts-expect-error: there is no such type.
  ofType('tool.strated');
});

test('hook infers its event from `on`, one, several or all, and fits where any hook does', () => {
  const one = hook({
    name: 'one',
    on: 'tool.finished',
    handle: (event) => {
      expectTypeOf(event).toEqualTypeOf<EventOf<'tool.finished'>>();
    },
  });
  const two = hook({
    name: 'two',
    on: ['run.started', 'run.ended'],
    handle: (event) => {
      expectTypeOf(event).toEqualTypeOf<EventOf<'run.started' | 'run.ended'>>();
    },
  });
  const all = hook({
    name: 'all',
    handle: (event) => {
      expectTypeOf(event).toEqualTypeOf<LiveEvent>();
    },
  });
  expectTypeOf([one, two, all]).toEqualTypeOf<Hook[]>();
  // @ts-expect-error: there is no such type.
  hook({ name: 'typo', on: 'tool.strated', handle: () => undefined });
});
