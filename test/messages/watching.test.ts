import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import { answer, wait } from '../../src/contracts/agents/decision.ts';
import type { Terminated } from '../../src/contracts/messages/message.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { parallel } from '../../src/patterns/index.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { letTimePass, never, ofType, quiet, settled, start } from '../support/runs.ts';
import { sized } from '../support/thorough.ts';

const RUNS = sized(75, 10_000);

/** How a member ends, and what whoever watches it is told: its first life, and the one that it begins with after a restart. */
const lives = {
  answers: ['normal'],
  fails: ['error'],
  stops: ['stopped'],
  hangs: ['killed'],
  sleeps: ['killed'],
  mends: ['error', 'normal'],
  worsens: ['error', 'error'],
} as const;

type Life = keyof typeof lives;

const outage = (): Error => new TroupeError('model.unavailable', 'Cannot answer as it is down');

const member = (name: string, life: Life) => {
  let lived = 0;
  return agent({
    name,
    stop: life === 'stops' ? [maxSteps(1)] : [],
    failures: {
      retry: { attempts: 1 },
      asMember: life === 'mends' || life === 'worsens' ? { restart: 'transient' } : undefined,
    },
    decide: () => {
      lived += 1;
      if (life === 'hangs') return never();
      if (life === 'stops' || life === 'sleeps') return wait('anything', life === 'stops' ? 10 : 100_000);
      if (life === 'answers' || (life === 'mends' && lived > 1)) return answer('done');
      throw life === 'worsens' && lived > 1
        ? new TroupeError('model.auth', 'Cannot answer as nobody may')
        : outage();
    },
  });
};

test('[KAIZEN-82] whoever watches is told once how somebody ended: by itself, stopped, dismissed or before a restart; before or after it did', async () => {
  const watcher = fc.record({ who: fc.nat(3), begins: fc.constantFrom('first', 'meanwhile', 'last') });
  const scene = fc.record({
    crew: fc.array(fc.constantFrom(...(Object.keys(lives) as Life[])), { minLength: 1, maxLength: 4 }),
    watchers: fc.array(watcher, { minLength: 1, maxLength: 5 }),
    end: fc.constantFrom('memberTime', 'abort'),
  });
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(scene, async ({ crew, watchers, end }) => {
      const clock = virtualClock(1_000);
      const team = parallel({
        name: 'crew',
        members: Object.fromEntries(crew.map((life, index) => [`m${index}`, member(`m${index}`, life)])),
        ...(end === 'memberTime' ? { limits: { memberTimeMs: 20_000 } } : {}),
      });
      const handle = start(team, 'go', { clock });
      const result = settled(handle);
      const told: { readonly who: number; readonly by: Promise<Terminated> }[] = [];
      const watch = (when: string): void => {
        for (const { who, begins } of watchers)
          if (begins === when && who < crew.length)
            told.push({ who, by: handle.watch(`crew/m${who}-${who + 1}`) });
      };
      watch('first');
      await quiet();
      watch('meanwhile');
      await clock.advance(10_000);
      await quiet();
      if (end === 'abort') handle.abort('enough');
      const { events } = await letTimePass(clock, result, 5_000);
      watch('last');
      const isOut = ofType(events, 'child.supervised').some(({ directive }) => directive === 'escalate');
      for (const { who, by } of told) {
        const { reason, path, agent: name } = await by;
        const life = crew[who] ?? 'answers';
        // Whoever has not ended when the team gives up is stopped with it.
        const own = lives[life][0] === 'killed' && end === 'memberTime' ? 'error' : lives[life][0];
        const allowed = isOut && life !== 'mends' ? [own, 'killed'] : [own];
        expect(allowed).toContain(reason);
        expect([path, name]).toEqual([`crew/m${who}-${who + 1}`, `m${who}`]);
        seen.set(reason, (seen.get(reason) ?? 0) + 1);
      }
      for (const { member: name, child } of ofType(events, 'child.restarted')) {
        const { reason } = await handle.watch(child);
        const [, last] = lives[crew[Number(name.slice(1))] ?? 'answers'];
        expect(isOut ? [last, 'killed'] : [last]).toContain(reason);
        seen.set('restarted', (seen.get('restarted') ?? 0) + 1);
      }
      const ends = ofType(events, 'member.ended').map(({ path }) => path);
      expect(new Set(ends).size).toBe(ends.length);
    }),
    { numRuns: RUNS, seed: 20_261 },
  );
  for (const each of ['normal', 'error', 'stopped', 'killed', 'restarted'])
    expect([each, (seen.get(each) ?? 0) > RUNS / 20]).toEqual([each, true]);
}, 1_200_000);

test('an address at which nobody ever was is waited for, and refused with those that there were once the run is over', async () => {
  const clock = virtualClock();
  const crew = parallel({ name: 'crew', members: { ann: member('ann', 'answers') } });
  const handle = start(crew, 'go', { clock });
  const ghost = handle.watch('ghost').catch((thrown: unknown) => thrown);
  await settled(handle);
  expect(await ghost).toMatchObject({
    code: 'agent.unknown',
    message: "Cannot watch 'ghost' as nobody was there in the whole run: there were 'crew', 'crew/ann-1'",
  });
});
