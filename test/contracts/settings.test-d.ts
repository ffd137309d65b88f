import { expectTypeOf, test } from 'vitest';
import type { ModelSettings } from '../../src/contracts/models/model.ts';
import { agent } from '../../src/runtime/define/agent.ts';

test('settings are typed: names, words and groups', () => {
  void agent({ name: 'desk', settings: { reasoning: 'low', toolChoice: { name: 'echo' }, stop: ['END'] } });
  expectTypeOf<ModelSettings['stop']>().toEqualTypeOf<readonly string[] | undefined>();
  void agent({
    name: 'desk',
    settings: { reasoning: { budgetTokens: 9 }, providerOptions: { openai: { user: 'ann' } } },
  });
  // @ts-expect-error: the name is `topP`.
  void agent({ name: 'desk', settings: { top_p: 1 } });
  // @ts-expect-error: a list of texts.
  void agent({ name: 'desk', settings: { stop: 'END' } });
  // @ts-expect-error: not an effort.
  void agent({ name: 'desk', settings: { reasoning: { effort: 'huge' } } });
  // @ts-expect-error: options are grouped by provider.
  void agent({ name: 'desk', settings: { providerOptions: { user: 'ann' } } });
  // @ts-expect-error: not a choice.
  void agent({ name: 'desk', settings: { toolChoice: 'any' } });
});
