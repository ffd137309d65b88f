import { describe, expect, test } from 'vitest';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { debate, jury, parallel, person, pipeline } from '../../src/patterns/index.ts';
import type { JurySetup } from '../../src/patterns/jury.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { letTimePass, never, ofType, phasesOf, settled, start } from '../support/runs.ts';

const says = (name: string, ...script: readonly ScriptedReply[]) =>
  agent({ name, model: scriptedModel(script, name), failures: { retry: { attempts: 1 } } });

/** Answers after a while. */
const slowly =
  (clock: VirtualClock, ms: number, text: string): ScriptedReply =>
  () =>
    new Promise((resolve) => {
      clock.setTimeout(() => {
        resolve(text);
      }, ms);
    });

describe('a jury', () => {
  const begin = (make: (clock: VirtualClock) => Omit<JurySetup, 'name'>, options: RunOptions = {}) => {
    const clock = virtualClock(0);
    const panel = jury({ name: 'panel', ...make(clock) });
    const handle = start(panel, 'Release?', { clock, ...options });
    return { clock, handle, end: () => letTimePass(clock, settled(handle), 500) };
  };

  test('a person is a juror: asked at the inbox, and the verdict waits for the vote', async () => {
    const { clock, handle, end } = begin(() => ({
      voters: { ann: says('ann', 'approve'), pat: person({ name: 'pat' }), bob: says('bob', 'reject') },
    }));
    await clock.advance(86_400_000);
    const [request] = handle.requests;
    expect(request).toMatchObject({ kind: 'question', agent: 'pat', path: 'panel/pat-2' });
    expect(request?.kind === 'question' && request.question).toContain('Motion: Release?');
    expect(handle.reply('No, not on a Friday')).toBe(true);
    const result = await end();
    expect(result.output).toMatchObject({
      decision: 'reject',
      rounds: 1,
      votes: [{}, { member: 'pat', vote: 'reject', reason: 'No, not on a Friday', error: null }, {}],
    });
    expect(phasesOf(result.events, 'panel')).toEqual([
      'deliberating',
      'awaitingPeople',
      'counting',
      'completed',
    ]);
  });

  test('a person who is quicker than the agents is not waited for', async () => {
    const { clock, handle, end } = begin((now) => ({
      voters: { ann: says('ann', slowly(now, 5_000, 'approve')), pat: person({ name: 'pat' }) },
    }));
    await clock.advance(1_000);
    handle.reply('approve');
    const result = await end();
    expect(result.output).toMatchObject({ decision: 'approve' });
    expect(phasesOf(result.events, 'panel')).toEqual(['deliberating', 'counting', 'completed']);
  });

  test('past the deadline the missing vote is an abstention, and nobody is asked any more', async () => {
    const { handle, end } = begin(() => ({
      voters: { ann: says('ann', 'approve'), pat: person({ name: 'pat' }) },
      personTimeMs: 60_000,
    }));
    const result = await end();
    expect(result).toMatchObject({
      status: 'completed',
      output: {
        decision: 'approve',
        tally: { abstentions: 1 },
        votes: [{}, { member: 'pat', vote: 'abstain' }],
      },
    });
    expect(JSON.stringify(result.output)).toContain('60000 ms');
    expect(handle.requests).toEqual([]);
    expect(ofType(result.events, 'request.withdrawn')).toHaveLength(1);
    expect(result.events.at(-1)?.at).toBe(60_000);
  });

  test('the deadline is for people, the time of members for agents; each has its own', async () => {
    const { end } = begin(() => ({
      limits: { memberTimeMs: 10_000 },
      personTimeMs: 60_000,
      countAbstentions: true,
      maxRounds: 1,
      voters: { pat: person({ name: 'pat' }), ann: says('ann', () => never<string>()) },
    }));
    const result = await end();
    expect(result).toMatchObject({ status: 'failed', error: { code: 'member.timed-out' } });
    expect(ofType(result.events, 'member.ended').map(({ member, at }) => [member, at])).toEqual([
      ['ann', 10_000],
      ['pat', 60_000],
    ]);
  });

  test('under a policy agents are restarted, people are not asked twice', async () => {
    const { end } = begin(() => ({
      failures: { supervision: {} },
      personTimeMs: 60_000,
      voters: { ann: says('ann', new Error('dead'), 'approve'), pat: person({ name: 'pat' }) },
    }));
    const result = await end();
    expect(result.output).toMatchObject({
      decision: 'approve',
      votes: [{ error: null }, { vote: 'abstain' }],
    });
    expect(ofType(result.events, 'child.restarted').map(({ member }) => member)).toEqual(['ann']);
    expect(ofType(result.events, 'person.asked')).toHaveLength(1);
  });

  test('a hung jury votes again, and everybody reads what the others said, people, too', async () => {
    const questions: string[] = [];
    const votes = ['approve', 'reject: the tests are red'];
    const { end } = begin(
      () => ({
        voters: {
          ann: says('ann', '{"vote":"reject","reason":"it is late"}', 'reject'),
          pat: person({ name: 'pat' }),
        },
      }),
      { person: { answer: (question) => (questions.push(question), Promise.resolve(votes.shift() ?? '')) } },
    );
    expect((await end()).output).toMatchObject({ decision: 'reject', rounds: 2 });
    expect(questions[0]).not.toContain('it is late');
    expect(questions[1]).toContain('- ann: reject (confidence 0.5): it is late\n- pat: approve');
  });

  test('hung for good, it stops with the last tally', async () => {
    const { end } = begin(
      () => ({
        maxRounds: 2,
        voters: { ann: says('ann', 'approve', 'approve'), pat: person({ name: 'pat' }) },
      }),
      { person: { answer: () => Promise.resolve('reject') } },
    );
    expect(await end()).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'maxRounds', limit: 2 },
      candidate: { decision: null, rounds: 2 },
    });
  });

  test('a person is a member of any pattern: of a line, a debate, side by side', async () => {
    const answers = { person: { answer: () => Promise.resolve('shorter') } };
    const pat = person({ name: 'pat', description: 'Edits.' });
    const line = pipeline({ name: 'line', stages: [says('ann', 'a poem'), pat] });
    const written = await settled(start(line, 'go', answers));
    expect(written.output).toBe('shorter');
    expect(ofType(written.events, 'person.asked')[0]?.question).toBe('a poem');
    const all = parallel({ name: 'all', members: { ann: says('ann', 'x'), pat } });
    expect((await settled(start(all, 'go', answers))).output).toMatchObject([{}, { output: 'shorter' }]);
    const court = debate({ name: 'court', rounds: 1, debaters: { ann: says('ann', 'x'), pat } });
    expect((await settled(start(court, 'go', answers))).output).toMatchObject([{}, { text: 'shorter' }]);
  });

  test('a person who fails is a member that failed, with what was wrong', async () => {
    const refused = { person: { answer: () => Promise.reject(new Error('not now')) } };
    const result = await settled(start(person({ name: 'pat' }), 'Well?', refused));
    expect(result.status).toBe('failed');
    expect(result.error?.message).toContain('not now');
  });
});

test('where nobody can be asked the vote is missing, and nothing waits', async () => {
  const panel = jury({
    name: 'panel',
    voters: { ann: says('ann', 'approve'), pat: person({ name: 'pat' }) },
  });
  expect((await panel.run('Release?')).output).toMatchObject({
    decision: 'approve',
    tally: { abstentions: 1 },
  });
});

const ann = says('ann', 'approve');

test.each<{ setup: Partial<JurySetup>; says: string }>([
  { setup: { voters: {} }, says: 'needs voters' },
  { setup: { voters: { pat: person({ name: 'pat' }) } }, says: 'all of its voters are people' },
  { setup: { personTimeMs: 5 }, says: 'personTimeMs is for people, and there is none' },
  {
    setup: { voters: { ann, pat: person({ name: 'pat' }) }, personTimeMs: 0 },
    says: 'personTimeMs is not a whole number',
  },
  { setup: { maxRounds: 0 }, says: 'maxRounds is not a whole number' },
])('what cannot be honoured is refused: $says', ({ setup, says: why }) => {
  expect(() => jury({ name: 'panel', voters: { ann }, ...setup })).toThrow(why);
});
