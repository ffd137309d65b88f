import { describe, expect, test } from 'vitest';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { askPerson } from '../../../src/tools/built-in/ask-person.ts';
import { complete } from '../../../src/tools/built-in/ending/complete.ts';
import { perform, performNow } from '../tool-context.ts';

describe('ask_person', () => {
  test('[M23] gives what the person says, however long that takes', async () => {
    const clock = virtualClock();
    const ask = (question: string) =>
      new Promise<string>((resolve) => clock.setTimeout(() => resolve(`${question} Oslo!`), 3_600_000));
    const result = perform(askPerson, { question: 'Where to?' }, { clock, ask });
    await clock.advance(3_600_000);
    expect(await result).toMatchObject({ ok: true, text: 'Where to? Oslo!' });
    expect(askPerson.describe({ question: 'Where to?' })).toBe('Asking: Where to?');
  });

  test('[M23] fails where nobody can answer, and is not repeated', async () => {
    expect(await perform(askPerson, { question: 'Where to?' })).toMatchObject({
      ok: false,
      kind: 'execution',
    });
    expect(askPerson.retry.attempts).toBe(1);
  });

  test('[F16] needs a question', () => {
    expect(performNow(askPerson, { question: ' ' })).toMatchObject({ ok: false, kind: 'validation' });
  });
});

describe('complete', () => {
  test('[TENEX-46] ends the run with the answer, and tells its summary', () => {
    expect(performNow(complete, { answer: '42', summary: 'added them up' })).toMatchObject({
      ok: true,
      text: 'added them up',
      value: '42',
      control: { type: 'complete', answer: '42', summary: 'added them up' },
    });
  });

  test('[TENEX-46] without a summary, the answer is what is told', () => {
    expect(performNow(complete, { answer: { count: 3 } })).toMatchObject({
      text: '{"count":3}',
      control: { type: 'complete', answer: { count: 3 } },
    });
  });

  test.each([0, false, []])('[TENEX-46] %j is an answer, too', (answer) => {
    expect(performNow(complete, { answer })).toMatchObject({ ok: true, control: { answer } });
  });

  test.each([{}, { answer: '' }, { answer: ' \n' }, { answer: null }])(
    '[D39] an empty answer ends nothing: %j',
    (input) => {
      const result = performNow(complete, input);
      expect(result).toMatchObject({ ok: false, kind: 'validation' });
      expect(result).not.toHaveProperty('control');
    },
  );

  test('[TENEX-43] is described to providers as an object', () => {
    expect(complete.parameters).toMatchObject({ type: 'object', required: ['answer'] });
  });
});
