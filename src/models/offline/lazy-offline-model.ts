import type { Model } from '../../contracts/model.ts';

/** Loaded once for all: the first question waits for it, later ones are answered at once. */
let offline: Model | undefined;

/**
 * The offline model, loaded on the first call: whoever has a key never loads it.
 *
 * @example
 * lazyOfflineModel().isLanguageModel // => false
 */
export const lazyOfflineModel = (): Model => ({
  provider: 'offline',
  id: 'offline',
  isLanguageModel: false,
  answer: (request, call) =>
    offline === undefined
      ? loaded().then((model) => model.answer(request, call))
      : offline.answer(request, call),
});

const loaded = async (): Promise<Model> => {
  const { offlineModel } = await import('./offline.ts');
  offline ??= offlineModel();
  return offline;
};
