import type { Serving } from '../serving.ts';
import type { ResponseBook } from './response-facts.ts';

/** The parts of a server that the operations of Responses need. */
export interface ResponseServing extends Serving {
  readonly book: ResponseBook;
}
