import { expect, test } from 'vitest';
import { chartSvg } from '../../../src/inspect/drawing/chart-svg.ts';
import { chartShape } from '../../../src/inspect/recording/chart-shape.ts';
import type { StateShape } from '../../../src/inspect/recording/entry.ts';
import { agentMachine } from '../../../src/machines/agent/agent-machine.ts';

const state = (id: string, more: Partial<StateShape> = {}): StateShape => ({
  id,
  key: id,
  type: 'atomic',
  initial: [],
  states: [],
  arrows: [],
  ...more,
});

const EVIL = `</text><script>alert(1)</script>"'&\u202e`;

test('a chart becomes an SVG with each of its states and the events of its arrows, and nothing that is loaded', () => {
  const svg = chartSvg(chartShape(agentMachine));
  for (const name of ['OBSERVE', 'DECIDE', 'ACT', 'REDUCE', 'CRITIC', 'CHECK_STOP', 'waiting', 'aborted'])
    expect(svg).toContain(`>${name}</text>`);
  expect(svg).toContain('answered.decide [wantsToAct]');
  expect(svg).not.toMatch(/href|url\(|<script|<image|×/);
});

test('what somebody named is text in it, whatever it says', () => {
  const target = state('b', { key: EVIL, description: EVIL });
  const source = state('a', {
    arrows: [{ id: 'x', event: EVIL, guard: EVIL, targets: ['b'], actions: [] }],
  });
  const svg = chartSvg(state('m', { key: EVIL, type: 'compound', initial: ['a'], states: [source, target] }));
  expect(svg).not.toContain('<script');
  expect(svg).not.toContain('\u202e');
  expect(svg).toContain('&lt;script&gt;');
});

test('with an overlay arrows say how often they were taken, states how long they lasted, and what never was is faint', () => {
  const taken = new Map([['agent.running.DECIDE: answered.decide #2 [wantsToAct]', 7]]);
  const svg = chartSvg(agentMachine, { taken, dwellMs: new Map([['agent.running.ACT', 120]]) });
  expect(svg).toContain('answered.decide [wantsToAct] ×7');
  expect(svg).toContain('120 ms');
  expect(svg.match(/class="arrow never"/g)?.length).toBeGreaterThan(5);
});
