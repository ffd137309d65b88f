import type { Model } from '../../contracts/models/model.ts';

/** Loaded once per process: only the first question waits for it. */
let offline: Model | undefined;

/**
 * Returns the offline model, loaded on its first call: programs with a key never load it.
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
      ? loadOffline().then((model) => model.answer(request, call))
      : offline.answer(request, call),
});

const loadOffline = async (): Promise<Model> => {
  const { offlineModel } = await import('./offline.ts');
  offline ??= offlineModel();
  return offline;
};
