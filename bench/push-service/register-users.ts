// Users registered through the API as fast as 64 connections can, every answer 201, and every one of them there.
import { type Finding } from '../measure.js';
import { load } from './load.js';
import type { Stage } from './stage.js';

const USERS = 100_000;
const CONNECTIONS = 64;

export async function registerUsers({ serviceUrl: url, account, sql }: Stage): Promise<Finding> {
  const { perSecond } = await load({
    url,
    account,
    connections: CONNECTIONS,
    count: USERS,
    method: 'POST',
    pathOf: () => 'users',
    bodyOf: (index) =>
      JSON.stringify({
        userId: `registered-${index}`,
        deviceType: index % 2 === 0 ? 'GCM' : 'APNS',
        deviceToken: `token-${index}`,
        isNotificationAgreement: true,
        isAdAgreement: true,
        isNightAdAgreement: false,
      }),
    status: 201,
  });
  const { rows } = await sql.query<{ there: number }>(
    `select count(*)::int as there from push_user u join device d on d.service_id = u.service_id and d.user_key = u.key
     where u.service_id = $1 and u.user_id like 'registered-%'`,
    [account.serviceId],
  );
  return {
    name: `registering ${USERS} users through the API, every answer 201, all of them there`,
    value: rows[0]?.there ?? 0,
    unit: 'users',
    bound: { kind: 'at least', value: USERS },
    detail: `${CONNECTIONS} connections, ${Math.round(perSecond)} a second`,
  };
}
