#!/bin/sh
# Publishes a campaign over HTTP and follows it to its end: CARILLON_URL, CARILLON_TOKEN.
set -eu
campaign="first-$(date +%s)-$$"

# Tried again with the same id: what was taken before is a duplicate then, never sent twice.
answer=$(curl -sS --fail-with-body --retry 5 --retry-connrefused "$CARILLON_URL/v1/events" \
  -H "authorization: Bearer $CARILLON_TOKEN" -H 'content-type: application/cloudevents+json' -d '{
    "specversion": "1.0", "id": "'"$campaign"'", "source": "/shop/promotions", "subject": "'"$campaign"'",
    "type": "carillon.campaign.scheduled.v1", "time": "'"$(date -u +%FT%TZ)"'",
    "data": { "serviceId": "shop-app", "name": "My first campaign",
      "audience": { "type": "USER", "to": ["vip-seoul"] },
      "message": { "default": { "content": "Hello" } },
      "delivery": { "now": true } } }') || { echo "$answer" >&2; exit 1; } # every reason of a refusal

state=
until [ "$state" = completed ] || [ "$state" = expired ] || [ "$state" = canceled ] || [ "$state" = rejected ]; do
  [ -z "$state" ] || sleep 1
  state=$(curl -sS --fail-with-body "$CARILLON_URL/v1/campaigns?serviceId=shop-app&campaignId=$campaign" \
    -H "authorization: Bearer $CARILLON_TOKEN" | sed 's/.*"state":"\([^"]*\)".*/\1/')
  echo "$state"
done
