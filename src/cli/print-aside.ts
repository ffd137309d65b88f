import process from 'node:process';

/**
 * Does `work`, while all that is printed on the standard output of this process goes to standard error: there, a command prints its
 * answer, its drawing or its JSON, and nothing that a module says as it is loaded.
 */
export const printAside = async <T>(work: () => Promise<T>): Promise<T> => {
  const { stdout, stderr } = process;
  const write = Object.getOwnPropertyDescriptor(stdout, 'write');
  stdout.write = stderr.write.bind(stderr);
  try {
    return await work();
  } finally {
    if (write === undefined) Reflect.deleteProperty(stdout, 'write');
    else Object.defineProperty(stdout, 'write', write);
  }
};
