/**
 * Operations by which the runtime refuses a call before its tool starts (a person, a policy, a budget), in `error.operation` of a result of the kind `denied`. A
 * tool cannot claim one: whatever it throws has the operation `act`.
 */
const OPERATIONS = ['approve', 'safety', 'budget'] as const;

/** One of these operations. */
export type RefusingOperation = (typeof OPERATIONS)[number];

/** True if the operation of a denial is one of the runtime's own. */
export const isRefusing = (operation: unknown): boolean => OPERATIONS.some((each) => each === operation);
