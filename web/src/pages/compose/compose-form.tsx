// The main members of a campaign as fields. Each writes into the text beside it; what has no field stays there, and is named below.
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { servicesQuery } from '../../api/compose.ts';
import { useTexts } from '../../i18n/text.ts';
import { dataOf, memberIn, otherMembers, textMember, withMember } from './json-members.ts';
import styles from './compose.module.css';

export interface ComposeFormProps {
  readonly campaignId: string;
  readonly setCampaignId: (id: string) => void;
  readonly json: string;
  readonly setJson: (json: string) => void;
}

const SHOWN = [
  'serviceId',
  'name',
  'messageType',
  'audience.type',
  'audience.to',
  'message.default.content',
  'message.default.option.title',
  'delivery',
];
const WHENS = ['now', 'recipient', 'zone', 'instant', 'scheduleCode'] as const;
type When = (typeof WHENS)[number];

export function ComposeForm({ campaignId, setCampaignId, json, setJson }: ComposeFormProps) {
  const text = useTexts();
  const services = useQuery(servicesQuery);
  const data = dataOf(json);
  const set = (path: readonly string[], value: unknown): void => setJson(withMember(json, path, value));
  const serviceId = textMember(json, ['serviceId']);
  const names = (services.data?.items ?? []).map((service) => service.serviceId);
  const others = otherMembers(data ?? {}, SHOWN);
  return (
    // JSON that does not parse keeps what the fields last read.
    <fieldset className={styles.form} disabled={data === undefined}>
      <NativeSelect
        label={text('campaigns.service')}
        value={serviceId}
        data={[...new Set([serviceId, ...names])]}
        onChange={(event) => set(['serviceId'], event.currentTarget.value)}
      />
      <TextInput
        label={text('compose.id')}
        value={campaignId}
        maxLength={128}
        onChange={(event) => setCampaignId(event.currentTarget.value)}
      />
      <TextInput
        label={text('compose.name')}
        value={textMember(json, ['name'])}
        maxLength={255}
        onChange={(event) => set(['name'], event.currentTarget.value || undefined)}
      />
      <NativeSelect
        label={text('compose.kind')}
        value={textMember(json, ['messageType']) || 'NOTIF'}
        data={['NOTIF', 'AD'].map((type) => ({ value: type, label: text.word(`messageType.${type}`, type) }))}
        onChange={(event) => set(['messageType'], event.currentTarget.value)}
      />
      <Audience json={json} set={set} />
      <TextInput
        label={text('compose.title')}
        value={textMember(json, ['message', 'default', 'option', 'title'])}
        onChange={(event) =>
          set(['message', 'default', 'option', 'title'], event.currentTarget.value || undefined)
        }
      />
      <Textarea
        className={styles.wide ?? ''}
        label={text('message.text')}
        rows={3}
        value={textMember(json, ['message', 'default', 'content'])}
        onChange={(event) => set(['message', 'default', 'content'], event.currentTarget.value)}
      />
      <Delivery json={json} set={set} />
      {others.length > 0 && (
        <p className={styles.others}>
          {text('compose.others', { count: others.length, names: others.join(', ') })}
        </p>
      )}
    </fieldset>
  );
}

interface PartProps {
  readonly json: string;
  readonly set: (path: readonly string[], value: unknown) => void;
}

function Audience({ json, set }: PartProps) {
  const text = useTexts();
  const type = textMember(json, ['audience', 'type']);
  const to = memberIn(json, ['audience', 'to']);
  const list = Array.isArray(to) ? to.join(', ') : '';
  return (
    <>
      <NativeSelect
        label={text('compose.to')}
        value={type}
        data={['ALL', 'CHANNEL', 'USER'].map((one) => ({
          value: one,
          label: text.word(`compose.to.${one}`, one),
        }))}
        onChange={(event) => {
          const next = event.currentTarget.value;
          set(
            ['audience'],
            next === 'ALL' ? { type: next } : { type: next, to: Array.isArray(to) ? to : [] },
          );
        }}
      />
      {type !== 'ALL' && (
        <TextInput
          label={text(type === 'CHANNEL' ? 'compose.channels' : 'compose.users')}
          description={text('compose.commas')}
          value={list}
          onChange={(event) =>
            set(
              ['audience', 'to'],
              event.currentTarget.value.split(/,\s*/).filter((one) => one !== ''),
            )
          }
        />
      )}
    </>
  );
}

function whenOf(json: string): When {
  if (memberIn(json, ['delivery', 'now']) === true) return 'now';
  if (memberIn(json, ['delivery', 'scheduleCode']) !== undefined) return 'scheduleCode';
  const zone = memberIn(json, ['delivery', 'zone']);
  if (zone === undefined) return 'instant';
  return zone === 'recipient' ? 'recipient' : 'zone';
}

/** A time is sent as it was typed, with its zone: the server works out the instants. */
function Delivery({ json, set }: PartProps) {
  const text = useTexts();
  const when = whenOf(json);
  const at = textMember(json, ['delivery', 'at']);
  const local = at.slice(0, 16);
  const choose = (next: When): void => {
    if (next === 'now') set(['delivery'], { now: true });
    else if (next === 'scheduleCode') set(['delivery'], { scheduleCode: '' });
    else if (next === 'instant') set(['delivery'], { at: local === '' ? '' : `${local}:00Z` });
    else set(['delivery'], { at: local, zone: next === 'recipient' ? 'recipient' : 'UTC' });
  };
  return (
    <>
      <NativeSelect
        label={text('compose.when')}
        value={when}
        data={WHENS.map((one) => ({ value: one, label: text(`compose.when.${one}`) }))}
        onChange={(event) => choose(event.currentTarget.value as When)}
      />
      {(when === 'recipient' || when === 'zone') && (
        <TextInput
          type="datetime-local"
          label={text('compose.at')}
          value={local}
          onChange={(event) => set(['delivery', 'at'], event.currentTarget.value)}
        />
      )}
      {when === 'instant' && (
        <TextInput
          label={text('compose.instant')}
          value={at}
          onChange={(event) => set(['delivery', 'at'], event.currentTarget.value)}
        />
      )}
      {when === 'zone' && (
        <TextInput
          label={text('filter.zone')}
          value={textMember(json, ['delivery', 'zone'])}
          onChange={(event) => set(['delivery', 'zone'], event.currentTarget.value)}
        />
      )}
      {when === 'scheduleCode' && (
        <TextInput
          label={text('compose.code')}
          value={textMember(json, ['delivery', 'scheduleCode'])}
          onChange={(event) => set(['delivery', 'scheduleCode'], event.currentTarget.value)}
        />
      )}
    </>
  );
}
