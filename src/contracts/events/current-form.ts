/** Earlier forms of events: type, field, or a value of a field. Kept for as long as journals of 0.1 replay. */
const RENAMED: Readonly<Record<string, Renamed>> = {
  'model.fellBack': { type: 'model.fell-back' },
  'session.lost': { fields: { backend: 'strategy' } },
  'task.handed-over': { fields: { context: 'sees' }, values: { isolated: 'task', full: 'conversation' } },
};

interface Renamed {
  readonly type?: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** The earlier values of the renamed fields. */
  readonly values?: Readonly<Record<string, string>>;
}

/** Returns an event of an earlier release in its form of now; any other value unchanged. */
export const inCurrentForm = (event: unknown): unknown => {
  if (typeof event !== 'object' || event === null || !('type' in event)) return event;
  const { type } = event;
  if (typeof type !== 'string' || !Object.hasOwn(RENAMED, type)) return event;
  const { type: name = type, fields = {}, values = {} } = RENAMED[type] ?? {};
  const entries = Object.entries(event).map(([field, value]: [string, unknown]) =>
    Object.hasOwn(fields, field)
      ? [fields[field], typeof value === 'string' && Object.hasOwn(values, value) ? values[value] : value]
      : [field, value],
  );
  return { ...Object.fromEntries(entries), type: name };
};
