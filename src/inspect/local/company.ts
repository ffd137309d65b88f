import type { ServerResponse } from 'node:http';
import type { Feed } from './feed.ts';

/** A command that somebody gave, as others see it. */
export interface Deed {
  /** The page that gave it. */
  readonly by: string;
  readonly do: string;
  /** Undefined for what is about all runs. */
  readonly run?: string | undefined;
}

interface Seat {
  readonly page: string;
  readonly feed: Feed;
}

/** The pages that look at the runs of an inspector: each knows how many there are, and what the others do. */
export class Company {
  readonly #seats = new Set<Seat>();

  /** Adds a page, until its connection closes. */
  join(page: string, feed: Feed, response: ServerResponse): void {
    const seat = { page, feed };
    response.on('close', () => {
      if (this.#seats.delete(seat)) this.#count();
    });
    if (response.destroyed) return;
    this.#seats.add(seat);
    this.#count();
  }

  /** Says to all pages what one did. */
  tell(deed: Deed): void {
    this.#say('deed', deed);
  }

  /** Has all pages ask for the session again: it has changed. */
  renew(): void {
    this.#say('session', {});
  }

  #count(): void {
    const pages = new Set([...this.#seats].map(({ page }) => page)).size;
    this.#say('company', { pages });
  }

  #say(event: string, value: unknown): void {
    for (const feed of new Set([...this.#seats].map((seat) => seat.feed))) feed.say(event, value);
  }
}
