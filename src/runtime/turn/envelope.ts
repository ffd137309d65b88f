/** An input of a machine: an answer, a failure, a message, an abort. `at` is the only clock that the machine sees. */
export interface Envelope {
  readonly type: string;
  readonly at: number;
  readonly [key: string]: unknown;
}
