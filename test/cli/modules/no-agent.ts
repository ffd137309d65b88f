export const colour = 'blue';
