import { scriptedModel } from 'troupe/testing';
import { expect, test } from 'vitest';
import desk from '../src/team.ts';

test('the desk answers with what both have said, in order', async () => {
  // One model for both: its replies are functions of what each is asked.
  const says = ({ instructions = '' }) => (instructions.includes('costs') ? '18 euros.' : 'Four days.');
  const model = scriptedModel([says, says]);
  const { output, totals } = await desk.run('A parcel to Norway', { model });
  expect(output).toBe('Four days.\n18 euros.');
  expect(totals).toMatchObject({ modelCalls: 2 });
});
