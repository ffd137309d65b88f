import type * as nip19 from 'nostr-tools/nip19';
import type * as pure from 'nostr-tools/pure';
import type * as relays from 'nostr-tools/abstract-relay';
import { TroupeError } from '../../contracts/errors/error.ts';

/** The parts of the package `nostr-tools` that are used. */
export interface NostrTools {
  readonly pure: typeof pure;
  readonly nip19: typeof nip19;
  readonly relay: typeof relays;
}

/** A connection to a relay, which may have been lost. */
export type NostrConnection = relays.AbstractRelay;

/** Loaded when it is first used. @throws `publishing.package-missing` */
export const loadNostr = async (): Promise<NostrTools> => {
  try {
    const [signing, codes, relay] = await Promise.all([
      import('nostr-tools/pure'),
      import('nostr-tools/nip19'),
      import('nostr-tools/abstract-relay'),
    ]);
    return { pure: signing, nip19: codes, relay };
  } catch (cause) {
    throw new TroupeError(
      'publishing.package-missing',
      'Cannot publish to Nostr as the package nostr-tools is not installed or does not start: run `npm install nostr-tools`',
      { cause },
    );
  }
};
