// Where a line of a list of sends leads: parts know no route, and three pages show such a list.
import { Link } from '@tanstack/react-router';
import type { SendLinks } from '../parts/sends/send-columns.tsx';

export const SEND_LINKS = {
  toSend: (id, shown) => (
    <Link to="/sends/$id" params={{ id }}>
      {shown}
    </Link>
  ),
  toCampaign: (id, shown) => (
    <Link to="/campaigns/$id" params={{ id }} search={{}}>
      {shown}
    </Link>
  ),
} as const satisfies SendLinks;
