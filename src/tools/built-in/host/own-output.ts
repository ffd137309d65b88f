import { Writable } from 'node:stream';

/** The standard streams of this process, while everybody else's output goes to standard error. */
export interface OwnStreams {
  readonly input: typeof process.stdin;
  /** Writes to the real standard output. */
  readonly output: Writable;
  /** Gives the standard output back. */
  readonly release: () => void;
}

/**
 * Sends everything that is printed to the standard output of this process to standard error, but for what is written to `output`.
 *
 * @example
 * const { output, release } = takeOutput();
 * console.log('to standard error');
 * output.write('to standard output\n');
 * release();
 */
export const takeOutput = (): OwnStreams => {
  const { stdin, stdout, stderr } = process;
  const before = Object.getOwnPropertyDescriptor(stdout, 'write');
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return {
    input: stdin,
    output: new Writable({
      write: (chunk: Uint8Array, _encoding, done) => {
        write(chunk, done);
      },
    }),
    release: () => {
      if (before === undefined) Reflect.deleteProperty(stdout, 'write');
      else Object.defineProperty(stdout, 'write', before);
    },
  };
};
