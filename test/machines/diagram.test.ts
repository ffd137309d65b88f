import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { createMachine } from 'xstate';
import { describe, expect, test } from 'vitest';
import { diagrams } from '../../scripts/diagrams.ts';
import { agentMachine } from '../../src/machines/agent/agent-machine.ts';
import { arrowsFrom, chartOf, nameOf, statesWithin } from '../../src/machines/diagrams/chart.ts';
import { toMermaid } from '../../src/machines/diagrams/diagram.ts';
import { modelCallMachine } from '../../src/machines/model-call/model-call-machine.ts';
import { toolCallMachine } from '../../src/machines/tool-call/tool-call-machine.ts';

describe('the diagrams in docs', () => {
  test.each(diagrams.map((each) => ({ ...each, name: basename(each.file) })))(
    '$name is what the machine says (else: npm run diagrams)',
    ({ file, text }) => {
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );
});

const machines = [agentMachine, modelCallMachine, toolCallMachine];

describe.each(machines)('[law 10] the diagram of $id', (machine) => {
  const states = statesWithin(chartOf(machine)).slice(1);

  test('shows every state with its description', () => {
    const text = toMermaid(machine);
    for (const { key, description } of states)
      expect(text).toContain(`state "${key}: ${description ?? '?'}" as ${key}`);
  });

  test('shows every arrow that goes somewhere, always arrows included, with its guard', () => {
    const lines = toMermaid(machine).split('\n');
    for (const arrow of statesWithin(chartOf(machine)).flatMap(arrowsFrom)) {
      for (const target of arrow.targets) {
        const guard = arrow.guard === undefined ? '' : `[${nameOf(arrow.guard)}]`;
        const found = lines.filter(
          (line) =>
            line.includes(`--> ${target.key} : `) && line.includes(arrow.event) && line.includes(guard),
        );
        expect(found, arrow.key).not.toEqual([]);
      }
    }
  });

  test('[FIND-74] draws one line from a state to another, but for what is of the whole chart', () => {
    const drawn = toMermaid(machine)
      .split('\n')
      .flatMap(
        (line) => /^ *(\w+ --> \w+) : (?!abort$|expired$|expired\.\*$|failed\.\*$)/.exec(line)?.[1] ?? [],
      );
    expect(drawn).toEqual([...new Set(drawn)]);
  });

  test('says where it begins and where it ends', () => {
    const text = toMermaid(machine);
    for (const { key } of states.filter(({ type }) => type === 'final'))
      expect(text).toContain(`${key} --> [*]`);
    expect(text).toContain(`[*] --> ${chartOf(machine).initial.target[0]?.key}`);
  });

  test('is the same every time', () => {
    expect(toMermaid(machine)).toBe(toMermaid(machine));
  });

  test('names each state once: Mermaid would move one that an inner block names again', () => {
    const blocks: string[] = [];
    const homes = new Map<string, Set<string>>();
    for (const line of toMermaid(machine, { descriptions: 'none' })
      .split('\n')
      .map((each) => each.trim())) {
      const ids = /^state (\w+)/.exec(line) ?? /^(\w+|\[\*\]) --> (\w+|\[\*\])/.exec(line);
      for (const id of ids?.slice(1) ?? []) {
        const home = homes.get(id) ?? new Set<string>();
        // The outermost block moves nothing.
        if (blocks.length > 0) home.add(blocks.at(-1) ?? '');
        homes.set(id, home);
      }
      if (line.endsWith('{')) blocks.push(/^state (\w+)/.exec(line)?.[1] ?? '?');
      if (line === '}') blocks.pop();
    }
    homes.delete('[*]');
    for (const [id, home] of homes) expect(home.size, id).toBeLessThanOrEqual(1);
  });
});

const odd = createMachine({
  id: 'odd',
  description: 'Odd: it has "quotes"; and\nlines.',
  initial: 'a',
  on: { reset: '.a' },
  states: {
    a: {
      description: 'Says "hello"; <b>bold</b> # 1',
      on: { 'go: on': { target: 'end', actions: 'x', guard: 'is;it' }, stay: { actions: ['x', 'y'] } },
    },
    b: {
      type: 'parallel',
      states: { left: { initial: 'a', states: { a: {} } }, right: {} },
      on: { up: '#odd.b.left' },
    },
    end: { type: 'final' },
  },
});

describe('toMermaid', () => {
  test('escapes what Mermaid would read as its own', () => {
    const text = toMermaid(odd);
    expect(text).toContain('%% odd: Odd: it has "quotes"; and lines.');
    expect(text).toContain('state "a: Says #34;hello#34;; #60;b#62;bold#60;/b#62; #35; 1" as a');
    expect(text).toContain('a --> end_ : go#58; on [is#59;it]');
    expect(text).toContain('state "end" as end_');
  });

  test('gives states of one name ids of their own, and separates what is parallel', () => {
    const text = toMermaid(odd);
    expect(text).toContain('as b_left_a');
    expect(text.split('\n').map((line) => line.trim())).toContain('--');
  });

  test('draws the arrows of the whole chart from each of its states', () => {
    expect(toMermaid(odd)).toContain('b --> a : reset');
    expect(toMermaid(odd)).not.toContain('odd -->');
  });

  test('leaves out what only acts, unless asked', () => {
    expect(toMermaid(odd)).not.toContain('stay');
    expect(toMermaid(odd, { reactions: 'arrows' })).toContain('a --> a : stay / x, y');
    expect(toMermaid(odd, { reactions: 'notes' })).toContain('note right of a\n    stay / x, y\n  end note');
  });

  test('puts descriptions into titles, notes or nowhere, and lays out as told', () => {
    expect(toMermaid(agentMachine, { descriptions: 'notes' })).toContain(
      'note right of completed\n    The answer is given.\n  end note',
    );
    expect(toMermaid(agentMachine, { descriptions: 'none' })).toContain('state completed\n');
    expect(toMermaid(agentMachine, { descriptions: 'none' })).not.toContain('The answer is given.');
    expect(toMermaid(agentMachine, { direction: 'LR' })).toContain('direction LR');
  });
});
