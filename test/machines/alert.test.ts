import { initialTransition, transition } from 'xstate';
import { describe, expect, test } from 'vitest';
import type { AlertEvent } from '../../src/machines/alerts/alert-machine.ts';
import { alertMachine } from '../../src/machines/alerts/alert-machine.ts';
import { checkMachine } from '../../src/machines/check-machine.ts';

const after = (...events: readonly AlertEvent[]) =>
  events.reduce(
    (snapshot, event) => transition(alertMachine, snapshot, event)[0],
    initialTransition(alertMachine, { mutedMs: 300_000 })[0],
  );

const met = (at: number): AlertEvent => ({ type: 'met', at });
const cleared: AlertEvent = { type: 'cleared' };

describe('an alert', () => {
  test('is a machine of the house', () => {
    expect(checkMachine(alertMachine)).toEqual(['no final state can be reached']);
  });

  test('[KAIZEN-56] is sent once while its condition holds, and again when 300 s have passed', () => {
    const once = after(met(1), met(5_001), met(300_000));
    expect(once).toMatchObject({ value: 'firing', context: { sent: 1, repeats: 2 } });
    expect(after(met(1), met(300_001))).toMatchObject({ value: 'firing', context: { sent: 2, repeats: 0 } });
  });

  test('[KAIZEN-56] that is resolved stays muted for the rest of its time', () => {
    const back = after(met(1), cleared, met(300_000));
    expect(back).toMatchObject({ value: 'resolved', context: { sent: 1, repeats: 1 } });
    expect(after(met(1), cleared, met(300_001))).toMatchObject({ value: 'firing', context: { sent: 2 } });
  });

  test('that never held is not resolved', () => {
    expect(after(cleared).value).toBe('quiet');
  });
});
