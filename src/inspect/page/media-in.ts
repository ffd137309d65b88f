import type { MediaPart } from '../../contracts/content/part.ts';

/** Media of one item that are shown; of a value that holds more, the first. */
const MOST = 24;
/** Values within values that are looked through. */
const DEEPEST = 6;

/** Finds the media whose bytes a run has, in the order in which a value holds them, each once. */
export const mediaIn = (value: unknown): readonly MediaPart[] => {
  const found = new Map<string, MediaPart>();
  const look = (at: unknown, depth: number): void => {
    if (typeof at !== 'object' || at === null || depth > DEEPEST || found.size >= MOST) return;
    if (isMedia(at)) found.set(at.hash, found.get(at.hash) ?? at);
    else for (const each of Object.values(at)) look(each, depth + 1);
  };
  look(value, 0);
  return [...found.values()];
};

/** Checks a value of a recording, which may come from another process. */
const isMedia = (value: object): value is MediaPart => {
  const { hash, mediaType, size, name } = value as Readonly<Record<string, unknown>>;
  return (
    typeof hash === 'string' &&
    /^[0-9a-f]{64}$/.test(hash) &&
    typeof mediaType === 'string' &&
    /^[\w.+-]{1,80}\/[\w.+-]{1,80}$/.test(mediaType) &&
    typeof size === 'number' &&
    (name === undefined || typeof name === 'string')
  );
};
