/**
 * Operations by which the runtime refuses a call before its tool starts, in `error.operation` of a result of the kind `denied`. A tool cannot claim one: whatever it
 * throws has the operation `act`.
 */
export const refusing = { byPerson: 'approve', bySafety: 'safety', byBudget: 'budget' } as const;

const OPERATIONS: ReadonlySet<unknown> = new Set(Object.values(refusing));

/** True if the operation of a denial is one of the runtime's own. */
export const isRefusing = (operation: unknown): boolean => OPERATIONS.has(operation);
