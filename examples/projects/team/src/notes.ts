import { documentsFrom } from 'troupe';

export const times = documentsFrom({
  'times.md': '# Times\n\nA parcel to Norway takes four working days. A parcel to Italy takes three.',
});

export const prices = documentsFrom({
  'prices.md': '# Prices\n\nA parcel to Norway costs 18 euros. A parcel to Italy costs 12 euros.',
});
