import type { Publication } from '../../../src/inspect/publishing/publication.ts';
import type { PublishedBatch, Publisher } from '../../../src/inspect/publishing/publisher.ts';

/** A publisher that remembers what it was handed, and fails when it is told to. */
export const rememberingPublisher = (
  answer: (batch: PublishedBatch, attempt: number) => void | Promise<void> = () => undefined,
) => {
  const tried: PublishedBatch[] = [];
  const taken: PublishedBatch[] = [];
  let closed = 0;
  const publisher: Publisher = {
    name: 'chat',
    publish: async (batch) => {
      tried.push(batch);
      await answer(batch, tried.length);
      taken.push(batch);
    },
    close: () => {
      closed += 1;
    },
  };
  return {
    publisher,
    tried,
    taken,
    get closed() {
      return closed;
    },
    /** Everything that was taken, in order. */
    get publications(): readonly Publication[] {
      return taken.flatMap(({ publications }) => publications);
    },
  };
};

/** A publication in a few letters. */
export const inShort = (publication: Publication): string => {
  switch (publication.type) {
    case 'content':
      return `${publication.seq} ${publication.text}${publication.isComplete ? '.' : '…'}`;
    case 'typing':
      return `${publication.seq} ${publication.isTyping ? 'typing' : 'still'}`;
    case 'completion':
      return `${publication.seq} ${publication.status}`;
    default:
      return `${publication.seq} ${publication.type}`;
  }
};
