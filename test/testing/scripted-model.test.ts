import { expect, test } from 'vitest';
import { scriptedModel } from '../../src/testing/scripted-model.ts';

test.each([
  ['a function', () => 'Hello.'],
  ["'Hello.'", 'Hello.'],
  ['nothing', undefined],
])('a script is a list of replies: %s is refused, with what to write', (found, script) => {
  expect(() => Reflect.apply(scriptedModel, undefined, [script])).toThrow(
    expect.objectContaining({
      code: 'input.invalid',
      message: `Cannot make a scripted model as its script is not a list of replies: write scriptedModel([ … ]), found ${found}`,
    }),
  );
});
