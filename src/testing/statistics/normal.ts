/** The share of the normal distribution below `z`: by the error function of Abramowitz and Stegun, 7.1.26, to seven digits. */
export const normalShare = (z: number): number => {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const series =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const error = 1 - series * Math.exp(-x * x);
  return z < 0 ? (1 - error) / 2 : (1 + error) / 2;
};

/** The quantile of the normal distribution for a share between 0 and 1, by halving: it is asked for once for each interval. */
export const normalQuantile = (share: number): number => {
  let [low, high] = [-8, 8];
  for (let round = 0; round < 60; round += 1) {
    const middle = (low + high) / 2;
    if (normalShare(middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
};
