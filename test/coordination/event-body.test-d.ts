import { expectTypeOf, test } from 'vitest';
import type { EventBody } from '../../src/contracts/events/event.ts';

test('what a team tells has no field that the runtime fills in', () => {
  const finding = { agent: 'ann', text: 'a leak' };
  expectTypeOf({ type: 'team.noted', text: finding.text } as const).toExtend<EventBody>();
  // @ts-expect-error who says it is the runtime's to say
  const spread: EventBody = { type: 'team.noted', ...finding };
  // @ts-expect-error and so is where
  const placed: EventBody = { type: 'team.noted', text: 'x', path: 'desk' };
  expectTypeOf([spread, placed]).toExtend<readonly EventBody[]>();
});
