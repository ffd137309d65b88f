/** Returns the result of `read`; `otherwise` if it throws. */
export function tryRead<Read>(read: () => Read): Read | undefined;
export function tryRead<Read, Otherwise>(read: () => Read, otherwise: Otherwise): Read | Otherwise;
export function tryRead(read: () => unknown, otherwise?: unknown): unknown {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
