/** Every way in which an audit log can be wrong. */
const auditProblemKinds = [
  /** An entry is not as it was written, or a line is none. */
  'changed',
  'missing',
  /** An entry stands where another was to be. */
  'order',
  /** An entry or a whole file is of another log. */
  'foreign',
  /** The last line is not whole. The next writer ends it, and says so. */
  'torn',
  /** Content is missing or changed, or is there although it was erased. */
  'content',
  /** The log is not the one that was anchored: its end is missing, or it was written again. */
  'anchor',
  'unreadable',
] as const;

/** One thing that is wrong with an audit log. */
export interface AuditProblem {
  readonly kind: (typeof auditProblemKinds)[number];
  /** The first entry that it is about, by its number. */
  readonly seq: number;
  readonly message: string;
  /** Of its file, from 1. */
  readonly line?: number | undefined;
}
