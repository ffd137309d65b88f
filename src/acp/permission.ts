import type * as sdk from '@agentclientprotocol/sdk';
import type { JsonObject } from '../base/json/json.ts';
import { toJson } from '../base/json/json.ts';

/** The kinds of calls that a coding agent asks permission for, each with its safety. */
export const PERMITTED = {
  read: 'read',
  search: 'read',
  think: 'read',
  fetch: 'write',
  edit: 'write',
  move: 'write',
  switch_mode: 'write',
  other: 'write',
  execute: 'danger',
  delete: 'danger',
} as const satisfies Readonly<Record<sdk.ToolKind, 'read' | 'write' | 'danger'>>;

/** Checks whether a call of that kind changes files. */
export const changesFiles = (kind: string): boolean =>
  kind === 'edit' || kind === 'move' || kind === 'delete';

/** The kind of a call that permission is asked for; `other` where the agent says none that is known. */
export const kindOf = ({ kind }: sdk.ToolCallUpdate): sdk.ToolKind =>
  typeof kind === 'string' && kind in PERMITTED ? kind : 'other';

/** A request for permission as the input of a call: what people and policies judge. */
export const permissionInput = (
  { toolCall, options }: sdk.RequestPermissionRequest,
  relative: (path: string) => string,
): JsonObject => {
  const { title, locations, content, rawInput } = toolCall;
  const diffs = (content ?? []).flatMap((each) =>
    each.type === 'diff'
      ? [{ path: relative(each.path), oldText: each.oldText ?? null, newText: each.newText }]
      : [],
  );
  const paths = [
    ...new Set([...(locations ?? []).map(({ path }) => relative(path)), ...diffs.map(({ path }) => path)]),
  ];
  return {
    title: title ?? toolCall.toolCallId,
    // Policies check the path of a call; of one with several, the list, which they take for none.
    ...(paths.length === 1 ? { path: paths[0] ?? '' } : {}),
    ...(paths.length > 1 ? { paths } : {}),
    ...(diffs.length === 0 ? {} : { diffs }),
    ...(rawInput === undefined || rawInput === null ? {} : { input: toJson(rawInput) }),
    options: options.map(({ optionId, name, kind }) => ({ id: optionId, name, kind })),
  };
};

/** The outcome of a yes: the option that the person chose, if it allows, else the one that allows least. */
export const chooseAllowing = (
  options: readonly sdk.PermissionOption[],
  chosen: string | undefined,
): sdk.RequestPermissionResponse => {
  const allowing = options.filter(({ kind }) => kind === 'allow_once' || kind === 'allow_always');
  const option =
    allowing.find(({ optionId }) => optionId === chosen) ??
    allowing.find(({ kind }) => kind === 'allow_once') ??
    allowing[0];
  return option === undefined ? chooseRejecting(options) : select(option);
};

/** The outcome of a no: rejected once, if there is such an option. */
export const chooseRejecting = (options: readonly sdk.PermissionOption[]): sdk.RequestPermissionResponse => {
  const option =
    options.find(({ kind }) => kind === 'reject_once') ??
    options.find(({ kind }) => kind === 'reject_always');
  return option === undefined ? { outcome: { outcome: 'cancelled' } } : select(option);
};

const select = ({ optionId }: sdk.PermissionOption): sdk.RequestPermissionResponse => ({
  outcome: { outcome: 'selected', optionId },
});
