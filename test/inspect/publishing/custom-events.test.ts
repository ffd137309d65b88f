import { Subject } from 'rxjs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { emitEvent, setupTeam, teamArrows, teamEnds } from '../../../src/coordination/round/setup-team.ts';
import type { TeamInput } from '../../../src/coordination/round/team-context.ts';
import { teamContext, teamOutcome } from '../../../src/coordination/round/team-context.ts';
import { answer } from '../../../src/contracts/agents/decision.ts';
import type { LiveEvent } from '../../../src/contracts/events/event.ts';
import { runtimeEventSchema } from '../../../src/contracts/events/event.ts';
import { parseEvent, serialiseEvent } from '../../../src/events/parse-event.ts';
import { defineEvent } from '../../../src/inspect/publishing/define-event.ts';
import type { EventDeadLetter } from '../../../src/inspect/publishing/event-registry.ts';
import { eventRegistry } from '../../../src/inspect/publishing/event-registry.ts';
import { publishTo } from '../../../src/inspect/publishing/publish-to.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { team } from '../../../src/runtime/define/team.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { durable, noted } from '../../events/sample-events.ts';
import { ofType, settled, start } from '../../support/runs.ts';
import { rememberingPublisher } from './publisher-kit.ts';

const ordered = defineEvent('shop.ordered', z.object({ id: z.number() }));
const custom = (name: string, data: unknown, seq = 0) =>
  runtimeEventSchema.parse({ ...durable(seq, noted('x')), type: 'custom.emitted', name, data });

/** A shop that orders two things, one of them badly, and tells of something that nobody knows. */
const shop = () =>
  agent({
    name: 'shop',
    model: scriptedModel([calls({ name: 'order', input: {} }), 'done']),
    tools: [
      tool({
        name: 'order',
        description: 'Orders it.',
        input: z.object({}),
        execute: (_, context) => {
          ordered.emit(context, { id: 7 });
          context.emit('shop.ordered', { id: 'seven' });
          context.emit('shop.burnt', null);
          return 'ordered';
        },
      }),
    ],
  });

test('[TENEX-96] what a tool tells is on record, handled where it fits, and a dead letter with the reason where not', async () => {
  const handled: number[] = [];
  const registry = eventRegistry([
    defineEvent('shop.ordered', z.object({ id: z.number() }), ({ id }) => void handled.push(id)),
  ]);
  const handle = start(shop(), 'go');
  const seen: LiveEvent[] = [];
  handle.events$.pipe(registry.middleware).subscribe((event) => seen.push(event));
  const { events } = await settled(handle);
  expect(ofType(events, 'custom.emitted').map(({ name, path, phase }) => [name, path, phase])).toEqual([
    ['shop.ordered', 'shop', 'ACT'],
    ['shop.ordered', 'shop', 'ACT'],
    ['shop.burnt', 'shop', 'ACT'],
  ]);
  expect(handled).toEqual([7]);
  expect(seen.filter(({ type }) => type === 'custom.emitted')).toHaveLength(1);
  expect(seen.at(-1)?.type).toBe('run.ended');
  const letters: EventDeadLetter[] = [];
  registry.deadLetters$.subscribe((letter) => letters.push(letter));
  expect(
    letters.map(({ event, reason, issues }) => [event.name, reason, issues.map(({ path }) => path)]),
  ).toEqual([
    ['shop.ordered', 'unfit', ['id']],
    ['shop.burnt', 'unknown', []],
  ]);
});

test('[TENEX-96] a team tells events of its own, too', async () => {
  const vocabulary = setupTeam<Record<string, never>, Record<string, never>>();
  const machine = vocabulary
    .extend({
      actions: {
        count: ({ context }) => {
          emitEvent(context, 'votes.counted', { votes: 3 });
        },
      },
    })
    .createMachine({
      id: 'counting',
      description: 'It counts, and is done.',
      context: ({ input }: { input: TeamInput<Record<string, never>> | undefined }) => ({
        ...teamContext(input, {}, {}),
        end: { status: 'completed' as const, stopReason: { kind: 'answered' as const }, output: 'counted' },
      }),
      output: teamOutcome,
      options: { maxIterations: 100 },
      initial: 'counting',
      on: teamArrows,
      states: {
        counting: {
          description: 'It counts.',
          entry: 'count',
          always: [{ guard: 'isCompleted', target: 'completed' }, { target: 'stopped' }],
        },
        ...teamEnds,
      },
    });
  const member = agent({ name: 'member', decide: () => answer('there') });
  const counting = team({ name: 'counting', machine, members: { member }, options: {} });
  const { events } = await settled(start(counting, 'go'));
  expect(ofType(events, 'custom.emitted')).toMatchObject([
    { path: 'counting', name: 'votes.counted', data: { votes: 3 } },
  ]);
});

test('[TENEX-96] a publisher with a registry publishes what is known only', async () => {
  const kit = rememberingPublisher();
  const hook = publishTo(kit.publisher, { kinds: ['custom'], events: eventRegistry([ordered]), secrets: {} });
  await shop().run('go', { hooks: [hook] });
  expect(kit.publications).toMatchObject([{ type: 'custom', name: 'shop.ordered', data: { id: 7 } }]);
});

test('a run that is resumed or replayed tells its own events once, and reads them back', async () => {
  const store = memoryStore();
  const { runId, events } = await shop().run('go', { store });
  const custom = ofType(events, 'custom.emitted');
  expect(custom.map(({ seq }) => seq)).toEqual([...new Set(custom.map(({ seq }) => seq))]);
  expect(custom.map((event) => parseEvent(JSON.parse(serialiseEvent(event))))).toEqual(custom);
  expect(runId).toBeDefined();
});

test('a handler that throws makes a dead letter, and the stream goes on', () => {
  const registry = eventRegistry([
    defineEvent('shop.ordered', z.object({}), () => {
      throw new Error('no stock');
    }),
  ]);
  const events$ = new Subject<LiveEvent>();
  const seen: string[] = [];
  const letters: string[] = [];
  registry.deadLetters$.subscribe(({ reason, issues }) => letters.push(`${reason} ${issues[0]?.message}`));
  events$.pipe(registry.middleware).subscribe(({ type }) => seen.push(type));
  events$.next(custom('shop.ordered', {}));
  events$.next(durable(1, noted('x')));
  expect(seen).toEqual(['team.noted']);
  expect(letters).toEqual(['failed no stock']);
});

test('a schema that answers later cannot say whether an event fits', () => {
  const registry = eventRegistry([
    defineEvent(
      'a.b',
      z.object({}).refine(() => Promise.resolve(true)),
    ),
  ]);
  const letters: string[] = [];
  registry.deadLetters$.subscribe(({ issues }) => letters.push(issues[0]?.message ?? ''));
  expect(registry.admits(custom('a.b', {}))).toBe(false);
  expect(letters).toEqual(['its schema is asynchronous']);
});

test('[TENEX-97] a middleware may put an event of its own behind another', () => {
  const noticed = defineEvent('text.noticed', z.object({ length: z.number() }));
  const event = durable(3, noted('four'));
  expect(noticed.after(event, { length: 4 })).toEqual({
    v: 1,
    type: 'custom.emitted',
    seq: 3,
    at: event.at,
    runId: event.runId,
    path: 'desk',
    agent: 'desk',
    name: 'text.noticed',
    data: { length: 4 },
  });
});

test('two definitions of one name, and a name without a dot, are refused', () => {
  expect(() => eventRegistry([ordered, ordered])).toThrow(
    expect.objectContaining({ code: 'publishing.invalid' }),
  );
  expect(() => defineEvent('ordered', z.object({}))).toThrow(
    expect.objectContaining({ code: 'publishing.invalid' }),
  );
});
