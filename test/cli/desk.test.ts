import { describe, expect, test } from 'vitest';
import { researchDesk } from '../../src/cli/desk/research-desk.ts';
import { replay } from '../../src/index.ts';
import { compareRuns } from '../../src/testing/compare-runs.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { documents } from '../../src/tools/built-in/documents/documents.ts';
import { documentsFrom } from '../../src/tools/built-in/documents/documents-from.ts';
import { PlainStore } from '../support/plain-store.ts';
import {
  accept,
  engaged,
  found,
  handbook,
  lastRequest,
  LEAVE,
  plan,
  revise,
  scriptedDesk,
  search,
  TRAVEL,
  verdicts,
} from './desk-scripts.ts';

const DAYS = 'Everybody has 30 days of leave a year.';
const researched: readonly ScriptedReply[] = [search('days of leave'), found([DAYS, LEAVE])];
const answer = `There are 30 days of leave a year. [${LEAVE}]`;

describe('who does what is what the supervisor decides', () => {
  test('one task goes to one researcher, and the answer cites what was found', async () => {
    const { desk, models } = scriptedDesk({
      supervisor: [plan('How many days of leave are there?')],
      researcher: researched,
      writer: [answer],
      critic: [accept],
    });
    const result = await desk.run('How much leave do I have?');
    expect(result).toMatchObject({ status: 'completed', output: answer });
    expect(engaged(result.events)).toEqual([
      'research',
      'research-supervisor',
      'search',
      'researcher',
      'writer',
      'grounding-critic',
    ]);
    expect(result.totals).toMatchObject({ modelCalls: 5, toolCalls: 1 });
    for (const model of Object.values(models)) model.assertConsumed();
  });

  test('a researcher sees its task, the writer the question and the passages, the critic the passages that are cited', async () => {
    const { desk, models } = scriptedDesk({
      supervisor: [plan('How many days of leave are there?')],
      researcher: [
        search('leave'),
        search('travel'),
        found([DAYS, LEAVE], ['Travel is approved by the head of the department.', TRAVEL]),
      ],
      writer: [answer],
      critic: [accept],
    });
    await desk.run('How much leave do I have?');
    expect(models.researcher.requests[0]?.messages[0]?.text).toBe('How many days of leave are there?');
    expect(JSON.parse(lastRequest(models.writer))).toEqual({
      question: 'How much leave do I have?',
      findings: [
        { text: DAYS, citation: LEAVE },
        { text: 'Travel is approved by the head of the department.', citation: TRAVEL },
      ],
    });
    expect(JSON.parse(lastRequest(models.critic))).toEqual({
      question: 'How much leave do I have?',
      answer,
      passages: [{ text: DAYS, citation: LEAVE }],
    });
  });

  test('seven tasks go to seven researchers', async () => {
    const tasks = Array.from({ length: 7 }, (_, index) => `Part ${index + 1}: how many days of leave?`);
    const { desk } = scriptedDesk({
      supervisor: [plan(...tasks)],
      // They take turns with the one model.
      researcher: Array.from(
        { length: 14 },
        () => (request: { readonly messages: readonly unknown[] }) =>
          request.messages.length === 1 ? search('days of leave') : found([DAYS, LEAVE]),
      ),
      writer: [answer],
      critic: [accept],
    });
    const result = await desk.run('How much leave do I have?');
    expect(result.output).toBe(answer);
    expect(engaged(result.events).filter((member) => member === 'researcher')).toHaveLength(7);
  });

  test('no task at all ends the run without an answer, and says why', async () => {
    const { desk } = scriptedDesk({ supervisor: [plan()] });
    const { status, stopReason, output } = await desk.run('How much leave do I have?');
    expect({ status, output }).toEqual({ status: 'stopped', output: undefined });
    expect(stopReason).toMatchObject({ kind: 'rule', detail: expect.stringContaining('assigned nothing') });
  });

  test('a worker that is not there is pointed out to the supervisor, who can correct the plan', async () => {
    const { desk, models } = scriptedDesk({
      supervisor: [plan(['librarian', 'Look it up']), plan('How many days of leave are there?')],
      researcher: researched,
      writer: [answer],
      critic: [accept],
    });
    expect((await desk.run('How much leave do I have?')).output).toBe(answer);
    expect(lastRequest(models.supervisor)).toContain(`There is no worker called 'librarian'`);
  });

  test('a supervisor that insists on a worker that is not there loses that part only', async () => {
    const twice = plan('How many days of leave are there?', ['librarian', 'Who approves travel?']);
    const { desk, models } = scriptedDesk({
      supervisor: [twice, twice],
      researcher: researched,
      writer: [`${answer} I could not find who approves travel.`],
      critic: [accept],
    });
    expect(await desk.run('Leave and travel?')).toMatchObject({ status: 'completed' });
    expect(JSON.parse(lastRequest(models.writer))).toMatchObject({
      gaps: [expect.stringContaining('Who approves travel?')],
    });
  });
});

describe('a researcher that fails', () => {
  test('has its task taken over by a second one, which nobody else ever sees', async () => {
    const { desk } = scriptedDesk({
      supervisor: [plan('How many days of leave are there?')],
      researcher: [new Error('the line is dead'), ...researched],
      writer: [answer],
      critic: [accept],
    });
    const result = await desk.run('How much leave do I have?');
    expect(result.output).toBe(answer);
    expect(engaged(result.events)).toContain('second-researcher');
  });

  test('leaves the others alone, and the writer is told what is missing', async () => {
    const { desk, models } = scriptedDesk({
      supervisor: [plan('How many days of leave are there?', 'Who approves travel?')],
      researcher: Array.from(
        { length: 4 },
        () => (request: { readonly messages: readonly { text: string }[] }) => {
          if (request.messages[0]?.text.includes('travel') === true) return new Error('the line is dead');
          return request.messages.length === 1 ? search('days of leave') : found([DAYS, LEAVE]);
        },
      ),
      writer: [`${answer} I could not find who approves travel.`],
      critic: [accept],
    });
    const result = await desk.run('Leave and travel?');
    expect(result.status).toBe('completed');
    expect(JSON.parse(lastRequest(models.writer))).toEqual({
      question: 'Leave and travel?',
      findings: [{ text: DAYS, citation: LEAVE }],
      gaps: [expect.stringMatching(/^Who approves travel\? \(.*the line is dead/)],
    });
  });

  test('and no other beside it ends the run with its error: that nothing was found would be a lie', async () => {
    const { desk, models } = scriptedDesk({
      supervisor: [plan('How many days of leave are there?')],
      researcher: [new Error('the line is dead'), new Error('the line is dead')],
    });
    await expect(desk.run('How much leave do I have?')).rejects.toThrow(
      /^Cannot write an answer as no researcher came back with anything: .*the line is dead/,
    );
    expect(models.writer.requests).toHaveLength(0);
  });
});

describe('findings are what the documents say', () => {
  test.each([
    ['a passage that no tool printed', ['There are 50 days of leave.', LEAVE]],
    ['a passage under the citation of another file', [DAYS, TRAVEL]],
    ['a passage that cites nothing', [DAYS, '']],
    ['a passage that was not looked up', ['Salaries are paid on the 25th of each month.', 'pay.md:1-3']],
  ] as const)('%s goes back to the researcher', async (_, finding) => {
    const { desk, models } = scriptedDesk({
      supervisor: [plan('How many days of leave are there?')],
      researcher: [search('days of leave'), found(finding), found([DAYS, LEAVE])],
      writer: [answer],
      critic: [accept],
    });
    expect((await desk.run('How much leave do I have?')).output).toBe(answer);
    expect(lastRequest(models.researcher)).toContain('No tool printed');
  });

  test('how a passage is laid out, and what an ellipsis leaves out, do not matter', async () => {
    const { desk, models } = scriptedDesk({
      supervisor: [plan('How many days of leave are there?')],
      researcher: [
        search('days of leave'),
        found(['Everybody has **30 days**… expire in\nMarch', `[${LEAVE}]`]),
      ],
      writer: [answer],
      critic: [accept],
    });
    expect((await desk.run('How much leave do I have?')).status).toBe('completed');
    models.researcher.assertConsumed();
  });
});

describe('every sentence is grounded', () => {
  const asked = { supervisor: [plan('How many days of leave are there?')], researcher: researched };

  test('a sentence that the critic objects to is sent back once, and then right', async () => {
    const wrong = `There are 50 days of leave a year. [${LEAVE}]`;
    const { desk, models } = scriptedDesk({
      ...asked,
      writer: [wrong, answer],
      critic: [revise('It says 30 days, not 50.'), accept],
    });
    const result = await desk.run('How much leave do I have?');
    expect(result.output).toBe(answer);
    expect(verdicts(result.events)).toEqual(['revise', 'accept']);
    expect(lastRequest(models.writer)).toContain('It says 30 days, not 50.');
  });

  test.each([
    [
      'cites nothing',
      `${answer} Leave is a human right.`,
      'No passage is cited for “Leave is a human right.”',
    ],
    [
      'cites what nobody found',
      `${answer} It is paid. [pay.md:1-3]`,
      'Nobody found a passage at [pay.md:1-3]',
    ],
  ])('a sentence that %s is sent back before any critic is asked', async (_, wrong, note) => {
    const { desk, models } = scriptedDesk({ ...asked, writer: [wrong, answer], critic: [accept] });
    expect((await desk.run('How much leave do I have?')).output).toBe(answer);
    expect(lastRequest(models.writer)).toContain(note);
  });

  test('a writer that never gets it right is sent back twice, then the run stops, keeps the draft and says so', async () => {
    const wrong = `There are 50 days of leave a year. [${LEAVE}]`;
    const { desk } = scriptedDesk({
      ...asked,
      writer: [wrong, wrong, wrong],
      critic: Array.from({ length: 3 }, () => revise('It says 30 days, not 50.')),
    });
    const result = await desk.run('How much leave do I have?');
    expect(result).toMatchObject({
      status: 'stopped',
      output: undefined,
      candidate: wrong,
      stopReason: { kind: 'rejected', rejections: 3, note: 'It says 30 days, not 50.' },
    });
    expect(verdicts(result.events)).toEqual(['revise', 'revise', 'revise']);
  });

  test('an answer that the critic could not judge is not given out as a checked one', async () => {
    const { desk } = scriptedDesk({ ...asked, writer: [answer], critic: [new Error('the line is dead')] });
    expect(await desk.run('How much leave do I have?')).toMatchObject({
      status: 'stopped',
      candidate: answer,
      stopReason: { kind: 'criticStopped', note: expect.stringContaining('the line is dead') },
    });
  });

  test('that nothing was found is an answer, and needs no critic', async () => {
    const { desk, models } = scriptedDesk({
      supervisor: [plan('Who is the king of France?')],
      researcher: [search('king of France'), found()],
      writer: ['I could not find who is the king of France.'],
    });
    expect(await desk.run('Who is the king of France?')).toMatchObject({
      status: 'completed',
      output: 'I could not find who is the king of France.',
    });
    expect(models.critic.requests).toHaveLength(0);
  });
});

describe('on the offline model', () => {
  const desk = researchDesk({ documents: documentsFrom(handbook) });
  const ask = async (question: string) => desk.run(question, { model: 'offline' });

  test('the answer to each part of a question cites the file that it stands in', async () => {
    const { output } = await ask('How many days of leave are there, and who approves travel?');
    expect(output).toMatch(/30 days of leave a year.*\[leave\.md:\d+-\d+\]/);
    expect(output).toMatch(/approved by the head of the department.*\[travel\.md:\d+-\d+\]/);
  });

  test('comes to the same stored as live, and is gone through again byte for byte', async () => {
    const store = new PlainStore();
    const question = 'How many days of leave are there, and who approves travel?';
    const live = await desk.run(question, { model: 'offline', runId: 'asked' });
    const stored = await desk.run(question, { model: 'offline', runId: 'asked', store });
    expect(compareRuns(live, stored)).toEqual([]);
    const { events } = await replay(desk, 'asked', { store });
    expect(JSON.stringify(events)).toBe(JSON.stringify(stored.events));
  });

  test('a question that no document answers has an honest answer', async () => {
    const result = await ask('Who won the football world cup in Uruguay in 1930?');
    expect(result).toMatchObject({ status: 'completed', output: expect.stringContaining('could not find') });
  });

  test('the critic sees through a sentence that the passage does not bear out, whoever wrote it', async () => {
    const scripted = scriptedDesk({
      writer: [
        `There are 50 days of leave a year. [${LEAVE}]`,
        `There are 30 days of leave a year. [${LEAVE}]`,
      ],
    });
    const mixed = researchDesk({
      documents: documentsFrom(handbook),
      models: {
        supervisor: 'offline',
        researcher: 'offline',
        critic: 'offline',
        writer: scripted.models.writer,
      },
    });
    const result = await mixed.run('How many days of leave are there?');
    expect(result.output).toBe(`There are 30 days of leave a year. [${LEAVE}]`);
    expect(verdicts(result.events)).toEqual(['revise', 'accept']);
    expect(lastRequest(scripted.models.writer)).toContain('There are 50 days of leave a year.');
  });

  test('the project answers a question about itself from its own sources, twice the same', async () => {
    const own = researchDesk({ documents: documents('src/contracts') });
    const [one, other] = await Promise.all([
      own.run('What does a critic that throws count as?', { model: 'offline' }),
      own.run('What does a critic that throws count as?', { model: 'offline' }),
    ]);
    expect(one.output).toMatch(/A critic that throws.*counts as `stop`.*\[agents\/critic\.ts:\d+-\d+\]/);
    expect(other.output).toBe(one.output);
  });
});
