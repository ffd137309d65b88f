/** Dollars of the unit in which xAI states prices, ten-billionths of one (docs.x.ai/developers/cost-tracking). */
export const dollarsOfTicks = (ticks: unknown): number | undefined =>
  typeof ticks === 'number' ? ticks / 10_000_000_000 : undefined;
