import { useState, useSyncExternalStore } from 'react';
import type { FollowedRun, FollowOptions, RunSource } from '../client/follow-run.ts';
import { followRun, notFollowed } from '../client/follow-run.ts';

/**
 * Follows a run elsewhere: by its handle, or by the URL that serves its events.
 *
 * It is followed as long as the component is mounted; hidden and shown again, it continues where it was. Another source replaces the
 * previous one, with the options of that moment. Rendered on a server, nothing is followed, so that the first client render matches the
 * server's.
 *
 * @example
 * const { progress, connection } = useRun(`/runs/${id}/events`);
 * return <p>{progress.text}</p>;
 *
 * @throws {TroupeError} `stream.invalid` for what is neither a run nor a URL.
 */
export const useRun = (source: RunSource, options: FollowOptions = {}): FollowedRun => {
  const key = addressIn(source) ?? source;
  const make = () => ({ key, follower: followRun(source, options) });
  const [known, setKnown] = useState(make);
  let { follower } = known;
  if (known.key !== key) {
    const next = make();
    setKnown(next);
    ({ follower } = next);
  }
  return useSyncExternalStore(follower.subscribe, follower.getSnapshot, getServerSnapshot);
};

/** The address by which a source stays the same, however often it is made: a handle of `connect` is made by each `at(runId)`. */
const addressIn = (source: RunSource): string | undefined => {
  if (source instanceof URL) return source.href;
  return typeof source === 'object' && source !== null && 'url' in source ? source.url : undefined;
};

const getServerSnapshot = (): FollowedRun => notFollowed;
