const two = (value: number): string => String(value).padStart(2, '0');

/** The time of day, with the date unless it is of today. */
export const dayOf = (at: number, now = Date.now()): string => {
  const date = new Date(at);
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (new Date(now).toDateString() === date.toDateString()) return `${clock}:${two(date.getSeconds())}`;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock}`;
};
