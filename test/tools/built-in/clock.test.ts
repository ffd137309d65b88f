import { expect, test } from 'vitest';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { clock } from '../../../src/tools/built-in/clock.ts';
import { perform } from '../tool-context.ts';

const noon = virtualClock(Date.UTC(2024, 1, 29, 12));

test('the clock tells the time of the run, in UTC', () => {
  expect(perform(clock, {}, { clock: noon })).toMatchObject({
    text: 'Thursday, 29 February 2024, 12:00:00 (UTC)',
    value: { iso: '2024-02-29T12:00:00.000Z', at: noon.now(), timeZone: 'UTC' },
  });
});

test('the clock knows time zones', () => {
  expect(perform(clock, { timeZone: 'Asia/Kolkata' }, { clock: noon })).toMatchObject({
    text: 'Thursday, 29 February 2024, 17:30:00 (Asia/Kolkata)',
  });
});

test('[F16] a time zone that is none is a validation failure', () => {
  expect(perform(clock, { timeZone: 'Mars/Base' }, { clock: noon })).toMatchObject({
    ok: false,
    kind: 'validation',
    text: expect.stringMatching(/^Cannot tell the time in 'Mars\/Base' as it is not an IANA time zone: /),
  });
});
