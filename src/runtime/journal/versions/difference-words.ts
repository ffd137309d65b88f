import type { Json, JsonObject } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { short } from '../../../contracts/errors/found-text.ts';
import type { DeterminismError } from '../replay/determinism-error.ts';

/** The fields by which a person knows what an event or an arrival is about, the first that it has. */
const NAMES = ['tool', 'member', 'phase', 'model', 'question', 'topic', 'to', 'key', 'status'] as const;

const LONGEST = 80;

/** Says in words how a version differs from the journal of a run: the raw records are in the error. */
export const differenceWords = ({ divergence }: DeterminismError): string => {
  const { runId, path, step, expected, found } = divergence;
  const where = step === undefined ? '' : ` in step ${step}`;
  const [then, now] = [nameEvent(expected), nameEvent(found)];
  const what =
    then === now
      ? `${then}, and now ${now} with another ${differingField(expected, found)}`
      : `${then}, and now ${now}`;
  return `Cannot resume run '${runId}' as '${path}' does something else${where}: then ${what}`;
};

/** An event by its type and the name that it is about: `tool.requested (pay)`. */
const nameEvent = (recorded: Json): string => {
  if (!isJsonObject(recorded)) return 'nothing';
  const { event, arrival } = recorded;
  const about = isJsonObject(event) ? event : isJsonObject(arrival) ? arrival : recorded;
  const { type } = about;
  const name = NAMES.map((field) => about[field]).find((value) => typeof value === 'string');
  const said = typeof type === 'string' ? type : 'something else';
  return name === undefined ? said : `${said} (${short(String(name), LONGEST)})`;
};

const differingField = (one: Json, other: Json): string => {
  const [before, after]: readonly JsonObject[] = [
    isJsonObject(one) ? one : {},
    isJsonObject(other) ? other : {},
  ];
  const keys = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return keys.find((key) => JSON.stringify(before?.[key]) !== JSON.stringify(after?.[key])) ?? 'content';
};
