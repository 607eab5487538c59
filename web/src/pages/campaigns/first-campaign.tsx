// Before the first campaign: the ways to publish one, to copy.
import { CopyButton, Button } from '@mantine/core';
import { useTexts } from '../../i18n/text.ts';
import { Empty } from '../../parts/panel/panel.tsx';
import styles from './campaigns.module.css';

const EVENT = `curl -s "$CARILLON_URL/v1/events" -H "authorization: Bearer $CARILLON_TOKEN" \\
  -H 'content-type: application/cloudevents+json' -d '{
    "specversion": "1.0", "id": "first-1", "source": "/shop/promotions", "subject": "my-first-campaign",
    "type": "carillon.campaign.scheduled.v1", "time": "'$(date -u +%FT%TZ)'",
    "data": { "serviceId": "shop-app", "name": "My first campaign",
      "audience": { "type": "USER", "to": ["vip-seoul"] },
      "message": { "default": { "content": "Hello" } },
      "delivery": { "now": true } } }'`;

export function FirstCampaign() {
  const text = useTexts();
  return (
    <Empty
      hint={
        <>
          <p>{text('campaigns.firstHow')}</p>
          <pre className={styles.event}>{EVENT}</pre>
          <CopyButton value={EVENT}>
            {({ copied, copy }) => (
              <Button size="xs" onClick={copy}>
                {copied ? text('copy.done') : text('copy.command')}
              </Button>
            )}
          </CopyButton>
        </>
      }
    >
      {text('campaigns.none')}
    </Empty>
  );
}
