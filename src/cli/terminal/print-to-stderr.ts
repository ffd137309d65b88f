import process from 'node:process';

/**
 * Runs `work` while everything printed to the standard output of this process goes to standard error: a command's
 * standard output is for its answer, drawing or JSON, not for the output of a loading module.
 */
export const printToStderr = async <T>(work: () => Promise<T>): Promise<T> => {
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
