import { expect, test } from 'vitest';
import { answer } from '../../src/contracts/agents/decision.ts';
import { answeredWith } from '../../src/coordination/round/ends.ts';
import { pattern } from '../../src/patterns/setup/pattern.ts';
import { agent } from '../../src/runtime/define/agent.ts';

const ann = agent({ name: 'ann', decide: () => answer('done') });

const throwing = (where: 'action' | 'guard' | 'tell') =>
  pattern({
    name: 'odd',
    description: 'A pattern with a rule that throws.',
    own: {},
    initial: 'thinking',
    actions: {
      think: () => {
        if (where === 'action') throw new RangeError('too odd');
        return { end: answeredWith('thought') };
      },
    },
    guards: {
      isOdd: () => {
        if (where === 'guard') throw new RangeError('too odd');
        return true;
      },
    },
    tells: {
      tellOdd: () => {
        if (where === 'tell') throw new RangeError('too odd');
        return [];
      },
    },
    states: {
      thinking: {
        description: 'It thinks.',
        entry: ['think', 'tellOdd'],
        always: [{ guard: 'isOdd', target: 'completed' }, 'failed'],
      },
    },
  });

test.each<['action' | 'guard' | 'tell', string]>([
  ['action', 'think'],
  ['guard', 'isOdd'],
  ['tell', 'tellOdd'],
])('a rule of a pattern that throws is named with its team: %s', async (kind, name) => {
  const error = await throwing(kind)({ name: 'desk', members: { ann } })
    .run('x')
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'machine.threw',
    message: `Cannot continue the team 'desk' as its ${kind} '${name}' threw: too odd`,
    cause: { message: 'too odd' },
  });
});
