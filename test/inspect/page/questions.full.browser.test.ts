import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { inspect } from '../../../src/inspect/local/inspect.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { builtPage } from '../../support/built-package.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { leaveRun, resumedCrash } from '../../support/situations/resumed-crash.ts';
import { expectWithinSides } from './beyond-sides.ts';
import type { Answer, Question } from './ten-questions.ts';
import { answered, questions } from './ten-questions.ts';
import { visibleText } from './visible-text.ts';
import { takePictures } from '../../support/pictures.ts';

/** The most keys and clicks from the page as it opens to an answer. */
const MOST_MOVES = 2;

/** The machine may have other work. */
const soon = { timeout: 100_000 };

const desk = { width: 1280, height: 800 };

const phone = { width: 390, height: 844 };
/** A desk, enlarged to 200 %. */
const enlarged = { width: 640, height: 400 };

/** Asks a page that has just opened, and goes back to where it was. */
const ask = async (page: Page, { moves, says }: Answer, picture: string): Promise<void> => {
  expect(moves.length).toBeLessThanOrEqual(MOST_MOVES);
  const opening = new URL(page.url()).hash;
  for (const move of moves) await move(page);
  for (const words of says) await expect.poll(() => visibleText(page), soon).toContain(words);
  for (const size of [phone, enlarged]) {
    await page.setViewportSize(size);
    await expectWithinSides(page, `${picture} at ${size.width}`);
  }
  await page.setViewportSize(desk);
  await takePictures(page, `questions-${picture}`, [desk, { width: 1600, height: 1000 }, phone, enlarged]);
  await page.keyboard.press('Escape');
  await page.evaluate(`location.hash = ${JSON.stringify(opening)}`);
  await expect.poll(() => new URL(page.url()).hash, soon).toBe(opening);
};

describeInChromium('the page answers a person', (browser) => {
  let tab: Page | undefined;
  const problems: string[] = [];
  const tabOf = async (): Promise<Page> => {
    if (tab !== undefined) return tab;
    tab = await browser().newPage({ viewport: desk });
    tab.setDefaultTimeout(soon.timeout);
    tab.on('pageerror', ({ message }) => problems.push(message));
    return tab;
  };
  afterAll(() => tab?.close());

  test.each(answered.map((each) => ({ ...each, name: each.situation().name })))(
    'ten questions about a run, each within two clicks or keys: $name',
    async ({ name, situation, answers }) => {
      const made = situation();
      const left = situation === resumedCrash ? await leaveRun() : undefined;
      const store = left?.store ?? memoryStore();
      const inspector = await inspect({ control: true, store, agents: [made.agent], page: builtPage() });
      const page = await tabOf();
      const run = await made.play({ inspect: inspector, store });
      try {
        await page.goto(inspector.url);
        await page.locator('.actor.selected').waitFor();
        // What the page has chosen by itself stands in its address a moment later.
        await expect.poll(() => new URL(page.url()).hash, soon).toContain('actor=');
        for (const question of questions) await ask(page, answers[question], fileName(name, question));
        expect(problems).toEqual([]);
      } finally {
        run.abort();
        await run.result.catch(() => undefined);
        await page.goto('about:blank');
        await inspector.close();
        await left?.close();
      }
    },
  );
});

const fileName = (situation: string, question: Question): string =>
  `${situation}-${questions.indexOf(question) + 1}-${question.replaceAll(/\W+/g, '-')}`;
