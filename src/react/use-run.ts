import { useState, useSyncExternalStore } from 'react';
import type { FollowedRun, FollowOptions, RunSource } from '../client/follow-run.ts';
import { followRun, notFollowed } from '../client/follow-run.ts';

/**
 * A run that goes on elsewhere: its handle, or the URL at which its events are served.
 *
 * It is followed as long as the component is shown; one that is hidden and shown again goes on where it was. Another source takes
 * the place of the one before, with the options of that moment. Rendered by a server, nothing is followed: the first picture of the page is the same as the server's.
 *
 * @example
 * const { progress, connection } = useRun(`/runs/${id}/events`);
 * return <p>{progress.text}</p>;
 *
 * @throws {TroupeError} `stream.invalid` for what is neither a run nor a URL.
 */
export const useRun = (source: RunSource, options: FollowOptions = {}): FollowedRun => {
  const key = source instanceof URL ? source.href : source;
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

const getServerSnapshot = (): FollowedRun => notFollowed;
