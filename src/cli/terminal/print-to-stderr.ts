import { takeOutput } from '../../tools/built-in/host/own-output.ts';

/**
 * Runs `work` while everything printed to the standard output of this process goes to standard error: a command's
 * standard output is for its answer, drawing or JSON, not for the output of a loading module.
 */
export const printToStderr = async <T>(work: () => Promise<T>): Promise<T> => {
  const { release } = takeOutput();
  try {
    return await work();
  } finally {
    release();
  }
};
