import type { Json } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { saysAbsent } from '../../contracts/environments/absent-file.ts';
import type { EarlierCall, ProposedCall, SafetyVerdict } from '../../contracts/tools/safety.ts';
import type { OneOrMore } from './glob.ts';
import { anyPathGlob } from './glob.ts';
import { plainPath } from './spellings.ts';

/** Checks of the tools that change files: those of the category `files` that are not `read`, by their argument `path`. */
export interface FileChecks {
  /** True to deny a change of a file that the agent has neither read nor written before in the run. A read that found no file is one, one that failed otherwise or was denied is none. Default false. */
  readonly readFirst?: boolean | undefined;
  /** Paths that are not changed, whatever the letters' case: `**` stands for any number of folders. */
  readonly protect?: OneOrMore<string> | undefined;
}

/** True for a call that changes a file, and can be undone. */
export const isEdit = ({ facts }: ProposedCall): boolean =>
  facts.category === 'files' && facts.safety === 'write';

/** A test of calls that change files: the verdict on one that it denies. */
export const fileTest = ({ readFirst = false, protect = [] }: FileChecks) => {
  const globs = typeof protect === 'string' ? [protect] : protect;
  const isProtected = anyPathGlob(globs.map((glob) => glob.toLowerCase()));
  return (call: ProposedCall): Extract<SafetyVerdict, { verdict: 'deny' }> | undefined => {
    if (call.facts.category !== 'files' || call.facts.safety === 'read') return undefined;
    const path = pathIn(call.input);
    if (path === undefined) return deny('protected-paths', 'it names no path');
    if (isProtected(path.toLowerCase()))
      return deny('protected-paths', `${JSON.stringify(path)} is protected`);
    if (!readFirst || isKnown(call, path)) return undefined;
    return deny('read-before-write', `read ${JSON.stringify(path)} first`);
  };
};

const deny = (rule: string, reason: string) => ({ verdict: 'deny', rule, reason }) as const;

/** True if the agent has read or written the file by a tool of the same toolset, or has found by reading that there is none. */
const isKnown = ({ tool, earlier }: ProposedCall, path: string): boolean => {
  const [, set = ''] = /^(.*[._])/.exec(tool) ?? [];
  return earlier.some((made) => {
    if (pathIn(made.input) !== path) return false;
    const isRead = made.tool === `${set}read`;
    return made.ok ? isRead || made.tool === tool : isRead && foundNone(made);
  });
};

const foundNone = ({ input, text = '' }: EarlierCall): boolean => {
  const path = namedPath(input);
  return path !== undefined && saysAbsent(text, path);
};

/** The path that a call names, in its plain spelling. */
const pathIn = (input: Json): string | undefined => {
  const path = namedPath(input);
  return path === undefined ? undefined : plainPath(path);
};

const namedPath = (input: Json): string | undefined => {
  const path = isJsonObject(input) ? input['path'] : undefined;
  return typeof path === 'string' ? path : undefined;
};
