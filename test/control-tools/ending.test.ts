import { describe, expect, test } from 'vitest';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { delegate } from '../../src/tools/built-in/delegation/delegate.ts';
import { endConversation } from '../../src/tools/built-in/ending/end-conversation.ts';
import { handoffTool } from '../../src/tools/built-in/delegation/handoff.ts';
import { respond } from '../../src/tools/built-in/ending/respond.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { z } from 'zod';

const noted: string[] = [];
const note = tool({
  name: 'note',
  description: 'Notes something.',
  input: z.object({ text: z.string() }),
  execute: ({ text }) => void noted.push(text),
});

describe('[TENEX-47] end_conversation', () => {
  test('ends the run of the one who leads, with the response as the answer', async () => {
    const model = scriptedModel([calls({ name: 'end_conversation', input: { response: 'All done.' } })]);
    const result = await agent({ name: 'lead', model, tools: [endConversation()] }).run('x');
    expect(result).toMatchObject({ status: 'completed', output: 'All done.' });
  });

  test('fails for anybody else, and the run goes on', async () => {
    const ending = calls({ name: 'end_conversation', input: { response: 'I say it is over.' } });
    const worker = agent({
      name: 'worker',
      model: scriptedModel([ending, 'My part is done.']),
      tools: [endConversation()],
    });
    const model = scriptedModel([calls({ name: 'delegate', input: { to: 'worker', task: 'x' } }), 'Thanks.']);
    const lead = agent({ name: 'lead', model, tools: [delegate({ to: [worker] })] });
    const result = await lead.run('x');
    expect(result.output).toBe('Thanks.');
    const refused = result.events.find((event) => event.type === 'tool.finished' && !event.ok);
    expect(refused).toMatchObject({ tool: 'end_conversation', error: { code: 'tool.denied' } });
    expect(result.records[0]?.results[0]).toMatchObject({ ok: true, text: 'My part is done.' });
  });

  test.each([
    [['boss'], 'failed'],
    [['clerk'], 'ended'],
    [({ agent: name }: { agent: string }) => name === 'clerk', 'ended'],
  ])('by %s: the call of clerk has %s', async (by, outcome) => {
    const model = scriptedModel([
      calls({ name: 'end_conversation', input: { response: 'Over.' } }),
      'Went on.',
    ]);
    const { output } = await agent({ name: 'clerk', model, tools: [endConversation({ by })] }).run('x');
    expect(output).toBe(outcome === 'ended' ? 'Over.' : 'Went on.');
  });
});

describe('[DODO-04] respond', () => {
  const report = { summary: 'Mended it.', filesChanged: ['a.ts'], nextSteps: ['Ship it'] };

  test('ends the run with a report, after the other calls of its step', async () => {
    noted.length = 0;
    const model = scriptedModel([
      calls({ name: 'respond', input: report }, { name: 'note', input: { text: 'still ran' } }),
    ]);
    const result = await agent({ name: 'a', model, tools: [respond, note] }).run('x');
    expect(result.output).toBe('Mended it.\n\nFiles changed:\n- a.ts\n\nNext steps:\n- Ship it');
    expect(result.records[0]?.results[0]).toMatchObject({ ok: true, value: report });
    expect(noted).toEqual(['still ran']);
  });

  test('[D39] without a summary it is refused and ends nothing', async () => {
    const model = scriptedModel([
      calls({ name: 'respond', input: { summary: '  ' } }),
      calls({ name: 'respond', input: { summary: 'Now it is done.' } }),
    ]);
    const result = await agent({ name: 'a', model, tools: [respond] }).run('x');
    expect(result.output).toBe('Now it is done.');
    expect(result.records[0]?.results[0]).toMatchObject({ ok: false, kind: 'validation' });
    expect(result.totals.steps).toBe(2);
  });
});

describe('[QITOS-92] handoff', () => {
  const desk = (input: object) => {
    const model = scriptedModel([calls({ name: 'handoff', input: { ...input } }), 'I go on myself.']);
    return agent({ name: 'desk', model, tools: [handoffTool({ billing: 'invoices', desk: '' })] }).run('x');
  };

  test('ends the part of the one who hands over, and says to whom', async () => {
    expect(await desk({ to: 'billing', message: 'a refund' })).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'handedOff', to: 'billing', message: 'a refund' },
    });
  });

  test.each([[{ to: 'nobody' }], [{ to: 'desk' }], [{}]])(
    'to %j is refused and ends nothing',
    async (input) => {
      expect(await desk(input)).toMatchObject({ status: 'completed', output: 'I go on myself.' });
    },
  );

  test('needs somebody to hand to', () => {
    expect(() => handoffTool({})).toThrow('as it has no receivers');
  });
});
