import { oneLine } from '../../drawing/plain-text.ts';
import { unfollowed } from '../page-state.ts';

/** The reason why a stored run is not followed any further: what was read of it stays. */
export const UnfollowedNotice = () =>
  unfollowed.value === undefined ? null : (
    <p class="notice bad" role="alert">
      <bdi>{oneLine(unfollowed.value, 600)}</bdi>
    </p>
  );
