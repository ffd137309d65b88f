import { TroupeError } from '../errors/error.ts';

/** The error of a file or folder that is not there: every environment says it in the same words, by which a policy knows it. */
export const absentFile = (path: string): TroupeError => new TroupeError('tool.failed', absentWords(path));

/** True for the text of a failed result that says so of this path. */
export const saysAbsent = (text: string, path: string): boolean => text.endsWith(absentWords(path));

const absentWords = (path: string): string => `Cannot open ${JSON.stringify(path)} as it does not exist`;
