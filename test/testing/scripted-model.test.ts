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

test.each<[unknown, string]>([
  [5, 'found 5'],
  [undefined, 'found nothing'],
  [null, 'found null'],
])('a reply that is none is named when the script is made: %j', (reply, found) => {
  expect(() => Reflect.apply(scriptedModel, undefined, [['hi', reply]])).toThrow(
    expect.objectContaining({
      code: 'input.invalid',
      message: `Cannot make a scripted model as its reply 2 is none: write a text, calls(…), an Error or a function, ${found}`,
    }) as Error,
  );
});
