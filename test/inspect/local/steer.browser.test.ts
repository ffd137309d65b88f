import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { Decision } from '../../../src/contracts/agents/decision.ts';
import { answer } from '../../../src/contracts/agents/decision.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { policy } from '../../../src/policy/index.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { isThorough } from '../../support/thorough.ts';
import { openInspector } from '../../support/inspector-page.ts';
import { ofType } from '../../support/runs.ts';
import { takePictures } from '../../support/pictures.ts';

const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({ amount: z.number().max(100), to: z.string() }),
  approval: true,
  execute: ({ amount, to }) => `paid ${amount} to ${to}`,
});

const ask = tool({
  name: 'ask',
  description: 'Asks.',
  input: z.object({}),
  execute: (_, context) => context.ask('To whom shall it go?'),
});

const cashier = (name = 'cashier', input = { amount: 3, to: 'Ada' }) =>
  agent({
    name,
    tools: [pay, ask],
    // Forks ask the same model.
    model: scriptedModel([calls({ name: 'pay', input }), ...Array.from({ length: 4 }, () => 'It is paid.')]),
  });

/** Counts to three, a step each, and says what it was told. */
const counter = () =>
  agent({
    name: 'counter',
    tools: [ask],
    decide: ({ step, transcript }): Decision => {
      const told = [...transcript].some(({ text }) => text.includes('Stop early'));
      return step < 3 && !told ? { kind: 'wait', forMs: 0 } : answer(`after ${step}`);
    },
  });

const texts = (events: Parameters<typeof ofType>[0]): readonly string[] =>
  ofType(events, 'tool.finished').map(({ text }) => text);

describeInChromium('a person steers a run on the page', (browser) => {
  describe('a call that waits for approval', () => {
    test('is made with the arguments that the person edited as JSON; what is no JSON is not sent, and what the tool does not take is refused in its words', async () => {
      const { inspector, page } = await openInspector(browser(), { control: true });
      const run = cashier().stream('Pay', { inspect: inspector, runId: 'r' });
      const request = page.locator('.request');
      await request.getByRole('button', { name: 'Change…' }).click();
      const field = request.getByRole('textbox', { name: 'Arguments of pay' });
      expect(JSON.parse(await field.inputValue())).toEqual({ amount: 3, to: 'Ada' });
      const send = request.getByRole('button', { name: 'Make this call' });
      await field.fill('{"amount": 7,');
      expect(await send.isDisabled()).toBe(true);
      expect(await request.locator('.misfit').innerText()).toMatch(/^It is not JSON: /);
      await field.fill('{"amount": 12345678901234567890, "to": "Ada"}');
      expect(await request.locator('.misfit').innerText()).toContain('too long to be kept exactly');
      await field.fill('{"amount": 700, "to": "Ada"}');
      await send.click();
      const notice = page.locator('.notice.bad');
      await notice.waitFor();
      expect(await notice.innerText()).toContain('its arguments do not fit: amount');
      // Nothing of what was written is gone.
      expect(await field.inputValue()).toBe('{"amount": 700, "to": "Ada"}');
      await takePictures(page, 'steer-change');
      await field.fill('{"amount": 7, "to": "Bob"}');
      await field.press('Control+Enter');
      expect(texts((await run.result).events)).toEqual(['paid 7 to Bob']);
      await expect.poll(() => request.count()).toBe(0);
    });

    if (isThorough)
      test('is refused with a reason, which the model reads', async () => {
        const { inspector, page, problems } = await openInspector(browser(), { control: true });
        const run = cashier().stream('Pay', { inspect: inspector, runId: 'r' });
        const request = page.locator('.request');
        await request.getByRole('button', { name: 'With reason…' }).click();
        const field = request.getByRole('textbox', { name: 'Reason' });
        expect(await request.getByRole('button', { name: 'Say no' }).isDisabled()).toBe(true);
        await field.fill('Ask Bob first');
        await takePictures(page, 'steer-reason');
        await field.press('Enter');
        const { events } = await run.result;
        expect(ofType(events, 'tool.denied')).toMatchObject([{ reason: 'Ask Bob first' }]);
        expect(problems).toEqual([]);
      });

    if (isThorough)
      test('of two people of a role takes the name and the roles that the person at the page writes, and says whose approval does not count', async () => {
        const { inspector, page } = await openInspector(browser(), { control: true });
        const safety = policy({
          rules: [{ name: 'two-leads', effect: 'ask', tool: 'pay', by: 'lead', approvals: 2 }],
        });
        const run = cashier().stream('Pay', { inspect: inspector, runId: 'r', safety });
        const request = page.locator('.request');
        const name = request.getByRole('textbox', { name: 'Your name' });
        const roles = request.getByRole('textbox', { name: 'Your roles' });
        const yes = request.getByRole('button', { name: 'Approve', exact: true });
        const notice = page.locator('.notice.bad');
        await name.fill('Eve');
        await roles.fill('guest');
        await yes.click();
        await expect
          .poll(() => notice.innerText())
          .toContain("it needs a person with the role 'lead': 'Eve' has 'guest'");
        await name.fill('Ada');
        await roles.fill('lead, payments');
        await yes.click();
        await request.getByText('approved by Ada').waitFor();
        await name.fill('Ben');
        await yes.click();
        const { events } = await run.result;
        expect(ofType(events, 'tool.approval-given')).toMatchObject([
          { by: { name: 'Ada', roles: ['lead', 'payments'] } },
        ]);
        expect(ofType(events, 'tool.approved')).toMatchObject([
          { by: { name: 'Ben', roles: ['lead', 'payments'] } },
        ]);
        expect(texts(events)).toEqual(['paid 3 to Ada']);
      });

    if (isThorough)
      test('keeps a secret that is not shown: left as it is it is used, and moved elsewhere it is refused', async () => {
        const secret = 'hunter2-hunter2-hunter2';
        const { inspector, page } = await openInspector(browser(), {
          control: true,
          secrets: { VAULT: secret },
        });
        const run = cashier('c', { amount: 3, to: secret }).stream('Pay', { inspect: inspector, runId: 'r' });
        const request = page.locator('.request');
        await request.getByRole('button', { name: 'Change…' }).click();
        const field = request.getByRole('textbox', { name: 'Arguments of pay' });
        const shown = JSON.parse(await field.inputValue()) as { to: string };
        expect(shown.to).toBe('[redacted VAULT]');
        await field.fill(JSON.stringify({ amount: 4, to: `${shown.to}!` }));
        await field.press('Control+Enter');
        await page.locator('.notice.bad', { hasText: 'stands for a secret that is not shown' }).waitFor();
        await field.fill(JSON.stringify({ ...shown, amount: 4 }));
        await field.press('Control+Enter');
        const { events } = await run.result;
        expect(texts(events)).toEqual([`paid 4 to ${secret}`]);
      });

    if (isThorough)
      test('comes back with what was written where its run refuses the answer only later, and says why', async () => {
        const { inspector, page, problems } = await openInspector(browser(), { control: true });
        let refuseEve: () => void = () => undefined;
        const isTaken = (to: string): Promise<boolean> =>
          new Promise((resolve) => {
            refuseEve = () => {
              resolve(false);
            };
            if (to !== 'Eve') resolve(true);
          });
        const slow = tool({
          name: 'pay',
          description: 'Pays.',
          input: z.object({ to: z.string().refine(isTaken, 'not to Eve') }),
          approval: true,
          execute: ({ to }) => `paid ${to}`,
        });
        const model = scriptedModel([calls({ name: 'pay', input: { to: 'Ada' } }), 'It is paid.']);
        const run = agent({ name: 'slow', tools: [slow], model }).stream('Pay', { inspect: inspector });
        const request = page.locator('.request');
        await request.getByRole('button', { name: 'Change…' }).click();
        const field = request.getByRole('textbox', { name: 'Arguments of pay' });
        await field.fill('{"to": "Eve"}');
        await field.press('Control+Enter');
        await expect.poll(() => request.count()).toBe(0);
        refuseEve();
        await request.locator('.refused', { hasText: 'not to Eve' }).waitFor();
        expect(await field.inputValue()).toBe('{"to": "Eve"}');
        await field.fill('{"to": "Bob"}');
        await field.press('Control+Enter');
        expect(texts((await run.result).events)).toEqual(['paid Bob']);
        expect(problems).toEqual([]);
      });

    if (isThorough)
      test('shows until when it waits, and goes with its run', async () => {
        const { inspector, page, problems } = await openInspector(browser(), { control: true });
        const before = Date.now();
        const run = cashier().stream('Pay', {
          inspect: inspector,
          runId: 'r',
          requests: { expireAfterMs: 90_000 },
        });
        const until = page.locator('.request .until');
        await until.waitFor();
        expect(await until.innerText()).toMatch(/^waits until (.* )?\d\d:\d\d:\d\d, 1 min \d+ s more$/);
        const at = Date.parse((await until.getAttribute('datetime')) ?? '');
        expect(at).toBeGreaterThanOrEqual(before + 90_000);
        expect(at).toBe(run.requests[0]?.expiresAt);
        run.abort();
        await run.result;
        await expect.poll(() => page.locator('.request').count()).toBe(0);
        expect(problems).toEqual([]);
      });
  });

  if (isThorough)
    test('answers a question, on as many lines as it takes', async () => {
      const { inspector, page, problems } = await openInspector(browser(), { control: true });
      const asking = agent({
        name: 'asking',
        tools: [ask],
        model: scriptedModel([calls({ name: 'ask', input: {} }), 'Thank you.']),
      });
      const run = asking.stream('Go', { inspect: inspector, runId: 'r' });
      const field = page.locator('.request').getByRole('textbox', { name: 'Answer' });
      await field.fill('To Ada.');
      await field.press('Shift+Enter');
      await page.keyboard.type('And to Bob.');
      await takePictures(page, 'steer-question');
      await field.press('Enter');
      expect(texts((await run.result).events)).toEqual(['To Ada.\nAnd to Bob.']);
      expect(problems).toEqual([]);
    });

  describe('a fork', () => {
    if (isThorough)
      test('of a run in progress, that is kept, begins where it is shown, with another message, and is shown; the run goes on', async () => {
        const store = memoryStore();
        onTestFinished(() => store.close());
        const { inspector, page, problems } = await openInspector(browser(), { control: true, store });
        const run = cashier().stream('Pay', { inspect: inspector, store, runId: 'kept' });
        await page.locator('.request').waitFor();
        await page.getByRole('treeitem', { name: 'agent cashier' }).click();
        await page.getByRole('slider').fill('12');
        await page.getByRole('button', { name: 'Fork here' }).click();
        const form = page.getByRole('form', { name: 'Fork' });
        expect(await form.innerText()).toContain('after entry 12 of');
        await form.getByRole('textbox', { name: 'With a message' }).fill('Pay Bob, too');
        await takePictures(page, 'steer-fork');
        await form.getByRole('button', { name: 'Fork', exact: true }).click();
        await expect.poll(() => inspector.recorder.runs.length).toBe(2);
        const forked = inspector.recorder.runs.at(-1)?.runId ?? '';
        await page.locator(`[data-actor="${forked}/cashier"][aria-selected="true"]`).waitFor();
        await expect.poll(() => page.locator('.transcript').innerText()).toContain('Pay Bob, too');
        expect((await store.entry(forked))?.forkedFrom).toBe('kept');
        expect(run.requests).toHaveLength(1);
        inspector.recorder.handles.get(forked)?.abort();
        run.approve(run.requests[0]?.id ?? '');
        expect((await run.result).status).toBe('completed');
        expect(problems).toEqual([]);
      });

    if (isThorough)
      test('of a stored run goes on with another model; one that nobody knows is refused, and begins nothing', async () => {
        const store = memoryStore();
        onTestFinished(() => store.close());
        const talker = agent({ name: 'talker', model: scriptedModel(['One.']) });
        await talker.run('Say it', { store, runId: 'old' });
        const { inspector, page } = await openInspector(browser(), {
          control: true,
          store,
          agents: [talker],
        });
        await page.getByRole('treeitem', { name: 'agent talker' }).waitFor();
        await page.getByRole('slider').fill('6');
        await page.keyboard.press('f');
        const form = page.getByRole('form', { name: 'Fork' });
        const model = form.getByRole('textbox', { name: 'With another model' });
        await model.fill('nobody:knows');
        await model.press('Enter');
        await page.locator('.notice.bad', { hasText: "there is no provider 'nobody'" }).waitFor();
        expect((await store.list()).map(({ runId }) => runId)).toEqual(['old']);
        await model.fill('offline');
        await model.press('Enter');
        await expect.poll(() => inspector.recorder.runs.map(({ status }) => status)).toEqual(['completed']);
        const [fork] = inspector.recorder.runs;
        await page.locator(`[data-actor="${fork?.runId ?? ''}/talker"]`).waitFor();
        await expect.poll(() => form.count()).toBe(0);
        const lines = [...inspector.recorder.recording.from()].join('\n');
        expect(lines).toContain('"model":"offline');
      });

    if (isThorough)
      test('is not offered of a run that is not kept', async () => {
        const { inspector, page } = await openInspector(browser(), { control: true, store: memoryStore() });
        const run = cashier().stream('Pay', { inspect: inspector, runId: 'r' });
        await page.locator('.request').waitFor();
        expect(await page.getByRole('button', { name: 'Fork here' }).count()).toBe(0);
        run.abort();
        await run.result;
      });
  });

  describe('a breakpoint', () => {
    if (isThorough)
      test('is set by a click on a state and on an arrow of the chart, for the actor or for all; it is marked, listed, holds the run, and is taken away', async () => {
        const { inspector, page, problems } = await openInspector(browser(), { control: true });
        const run = cashier('ann').stream('Pay', { inspect: inspector, runId: 'r' });
        await page.locator('.request').waitFor();
        await page.getByRole('treeitem', { name: 'agent ann' }).click();
        const state = page.locator('[data-state="agent.running.REDUCE"]');
        await state.waitFor();
        await state.click();
        const menu = page.getByRole('dialog', { name: 'Breakpoints here' });
        await menu.getByRole('checkbox', { name: 'in REDUCE' }).click();
        const set = () => inspector.recorder.breakpoints('r');
        await expect.poll(set).toEqual([{ kind: 'state', value: 'agent.running.REDUCE', actor: 'ann' }]);
        await page.locator('[data-break="agent.running.REDUCE"]').waitFor();
        await takePictures(page, 'steer-menu');
        await menu.getByRole('button', { name: 'Close' }).click();
        await expect.poll(() => menu.count()).toBe(0);
        const arrow = page.locator('.arrow', { has: page.locator('text') }).first();
        const ids = (await arrow.getAttribute('data-arrow'))?.split(' | ') ?? [];
        await arrow.locator('text').first().click();
        await menu.getByRole('combobox', { name: 'Of' }).selectOption('any');
        await menu.getByRole('checkbox').first().click();
        await expect.poll(set).toContainEqual({ kind: 'arrow', value: ids[0] });
        await page.locator(`[data-break="${ids[0]}"]`).waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('tab', { name: 'Breakpoints' }).click();
        const lines = page.locator('.breakpoints li');
        await expect
          .poll(() => lines.allInnerTexts())
          .toEqual([
            expect.stringContaining('agent.running.REDUCE of ann'),
            expect.stringContaining(ids[0] ?? '?'),
          ]);
        await lines.last().getByRole('button', { name: 'Take away' }).click();
        await expect.poll(() => page.locator('[data-break]').count()).toBe(1);
        await page.locator('.request').getByRole('button', { name: 'Approve' }).click();
        await page.getByText("Held: 'ann' has entered agent.running.REDUCE").waitFor();
        await state.click();
        await menu.getByRole('checkbox', { name: 'in REDUCE' }).click();
        await expect.poll(set).toEqual([]);
        await page.keyboard.press('Escape');
        await page.locator('.notice.held').getByRole('button', { name: 'Resume' }).click();
        expect((await run.result).status).toBe('completed');
        expect(problems).toEqual([]);
      });

    if (isThorough)
      test('is set by the keyboard alone, at any place of the chart', async () => {
        const { inspector, page, problems } = await openInspector(browser(), { control: true });
        const run = cashier('ann').stream('Pay', { inspect: inspector, runId: 'r' });
        await page.locator('.request').waitFor();
        await page.getByRole('treeitem', { name: 'agent ann' }).click();
        await page.keyboard.press('b');
        const menu = page.getByRole('dialog', { name: 'Breakpoints here' });
        expect(await menu.getByRole('checkbox', { name: 'in ACT' }).isChecked()).toBe(false);
        await menu.getByRole('combobox', { name: 'Place' }).selectOption('state agent.running.CHECK_STOP');
        await page.keyboard.press('Space');
        await expect
          .poll(() => inspector.recorder.breakpoints('r'))
          .toEqual([{ kind: 'state', value: 'agent.running.CHECK_STOP', actor: 'ann' }]);
        await page.keyboard.press('Escape');
        await expect.poll(() => menu.count()).toBe(0);
        expect(await page.evaluate('document.activeElement.className')).toBe('canvas');
        run.abort();
        await run.result;
        expect(problems).toEqual([]);
      });

    if (isThorough)
      test('of one actor only is added by the form, and dragging the chart sets none', async () => {
        const { inspector, page, problems } = await openInspector(browser(), { control: true });
        const run = cashier('ann').stream('Pay', { inspect: inspector, runId: 'r' });
        await page.locator('.request').waitFor();
        await page.getByRole('tab', { name: 'Breakpoints' }).click();
        await page.getByRole('combobox', { name: 'State', exact: true }).fill('REDUCE');
        await page.getByRole('combobox', { name: 'Only of' }).fill('ann');
        await page.getByRole('button', { name: 'Add' }).click();
        await page.locator('.breakpoints li', { hasText: 'REDUCE of ann' }).waitFor();
        const box = await page.locator('[data-state="agent.running.ACT"]').boundingBox();
        const [x, y] = [(box?.x ?? 0) + 20, (box?.y ?? 0) + 20];
        await page.mouse.move(x, y);
        await page.mouse.down();
        await page.mouse.move(x + 60, y + 30, { steps: 4 });
        await page.mouse.up();
        await page.evaluate(
          'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
        );
        expect(await page.getByRole('dialog', { name: 'Breakpoints here' }).count()).toBe(0);
        expect(inspector.recorder.breakpoints('r')).toEqual([
          { kind: 'state', value: 'REDUCE', actor: 'ann' },
        ]);
        run.abort();
        await run.result;
        expect(problems).toEqual([]);
      });
  });

  if (isThorough)
    test('playback of a stored run stops where a click on its chart has set a breakpoint', async () => {
      const store = memoryStore();
      onTestFinished(() => store.close());
      const it = counter();
      await it.run('Count', { store, runId: 'old' });
      const { page, problems } = await openInspector(browser(), { store, agents: [it] });
      await page.getByRole('treeitem', { name: 'agent counter' }).click();
      await page.getByRole('slider').fill('3');
      await page.locator('[data-state="agent.running.CHECK_STOP"]').click();
      await page.getByRole('checkbox', { name: 'in CHECK_STOP' }).click();
      await page.keyboard.press('Escape');
      await page.locator('[data-break="agent.running.CHECK_STOP"]').waitFor();
      await page.getByRole('combobox', { name: 'Speed' }).selectOption('64');
      await page.getByRole('button', { name: 'Play' }).click();
      await expect
        .poll(() => page.locator('.box.atomic.active').getAttribute('data-state'))
        .toBe('agent.running.CHECK_STOP');
      await page.getByRole('button', { name: 'Play' }).waitFor();
      const [at, last] = (await page.locator('.place').innerText()).match(/\d+/g) ?? [];
      expect(Number(at)).toBeLessThan(Number(last));
      expect(problems).toEqual([]);
    });

  if (isThorough)
    test('without control there is nothing to steer with, and no click or key steers', async () => {
      const store = memoryStore();
      onTestFinished(() => store.close());
      const { inspector, page, problems } = await openInspector(browser(), { store });
      const run = cashier('ann').stream('Pay', { inspect: inspector, store, runId: 'r' });
      await page.locator('.request').waitFor();
      await page.getByRole('treeitem', { name: 'agent ann' }).click();
      await page.locator('[data-state="agent.running.REDUCE"]').click();
      for (const key of ['b', 'f', 'm', 'p']) await page.keyboard.press(key);
      expect(await page.locator('.break-menu, form, .request button:not(.link), .fork').count()).toBe(0);
      expect(run.requests).toHaveLength(1);
      run.abort();
      await run.result;
      expect(problems).toEqual([]);
    });

  if (isThorough)
    test('counts on, as a fork of a counter that is told to stop early does not', async () => {
      const store = memoryStore();
      onTestFinished(() => store.close());
      const it = counter();
      await it.run('Count', { store, runId: 'old' });
      const { inspector, page, problems } = await openInspector(browser(), {
        control: true,
        store,
        agents: [it],
      });
      await page.getByRole('treeitem', { name: 'agent counter' }).waitFor();
      await page.getByRole('slider').fill('10');
      await page.getByRole('button', { name: 'Fork here' }).click();
      await page.getByRole('textbox', { name: 'With a message' }).fill('Stop early');
      await page.getByRole('button', { name: 'Fork', exact: true }).click();
      await expect.poll(() => inspector.recorder.runs.map(({ status }) => status)).toEqual(['completed']);
      const forked = inspector.recorder.runs[0]?.runId ?? '';
      expect((await store.entry('old'))?.status).toBe('completed');
      expect((await store.entry(forked))?.forkedFrom).toBe('old');
      await expect.poll(() => page.locator('.transcript').innerText()).toMatch(/after [12]/);
      expect(problems).toEqual([]);
    });
});
