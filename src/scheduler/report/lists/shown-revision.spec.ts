import { expect, it } from 'vitest';
import { withoutIds } from './shown-revision.js';

it('cuts the recipients of an audience and of its segments to three, says how many there were, and cuts nothing else', () => {
  const ids = Array.from({ length: 50 }, (_, index) => `user-${index}`);
  const segments = [
    { zone: 'Asia/Seoul', audience: { type: 'USER', to: ids } },
    { zone: 'UTC', audience: { type: 'USER', to: ['a', 'b'] } },
  ];
  const message = { default: { custom: { to: ids } } };
  expect(withoutIds({ audience: { type: 'USER', to: ids }, delivery: { segments }, message })).toEqual({
    data: {
      audience: { type: 'USER', to: ids.slice(0, 3) },
      delivery: {
        segments: [
          { zone: 'Asia/Seoul', audience: { type: 'USER', to: ids.slice(0, 3) } },
          { zone: 'UTC', audience: { type: 'USER', to: ['a', 'b'] } },
        ],
      },
      message,
    },
    cut: { '/audience/to': 50, '/delivery/segments/0/audience/to': 50 },
  });
  expect(withoutIds({ message })).toEqual({ data: { message }, cut: {} });
});
